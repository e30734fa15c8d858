//! Factors and their levels, as columns of a design: one dummy per level, but for those that the others make up.
//!
//! ```text
//! With a constant, the dummies of the largest factor (the hub) add up to it, so one of them can go. In the graph that joins a level
//! of the hub to each level of another factor that a row has with it, take a connected component: every row in it has one level of
//! either factor there. So both sums of dummies are the same column, and one level of the other factor can go per component.
//! ```
//!
//! What goes is the base: the level with the most rows, which leaves the fewest numbers in the design. What else may be redundant, where
//! there are three factors and more, stays, and is found by elimination.
//!
//! Coefficients of *all* levels stand for one direction of the design, and back: bases are zero in the design, so what they have is added
//! to the levels of the hub in their component, and what the hub's base has, to the constant.

use dashu_int::IBig;
use linsep_data::Features;
use linsep_data::samples::SparseBuilder;

/// A factor: a column each of whose levels has a coefficient of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Factor {
    /// What its users call the column.
    pub name: String,
    /// The levels, each once.
    pub levels: Vec<String>,
    /// The level of each row.
    pub codes: Vec<u32>,
}

/// The levels of all factors as nodes, numbered through, and the columns of the design that they have.
pub(super) struct LevelDesign {
    /// The columns of the model, then the dummies.
    pub features: Features,
    /// How many are columns of the model; one, of zeros, where there would be no column at all.
    pub columns: usize,
    /// How many of the factors were given. With one alone, a factor of one level keeps it company.
    pub given: usize,
    /// The level of each row, factor by factor.
    pub codes: Vec<Vec<u32>>,
    /// The first node of each factor, and the number of all nodes at the end.
    pub starts: Vec<usize>,
    /// The factor with the most levels, and the next.
    pub hub: usize,
    pub partner: usize,
    /// The column of each node; none for a base, and for levels that no row that counts has.
    pub column: Vec<Option<usize>>,
    /// How many rows that count each node has.
    pub count: Vec<usize>,
    /// The base of the hub.
    pub hub_base: usize,
    /// For each factor but the hub its components.
    bases: Vec<Option<Components>>,
}

/// The components of levels of the hub and one other factor.
struct Components {
    /// The component of each level of the hub, and of the other factor.
    hub: Vec<u32>,
    own: Vec<u32>,
    /// The base of each, a node of the other factor; none if no row that counts is in it.
    base: Vec<Option<usize>>,
}

impl LevelDesign {
    /// Returns the design of columns and factors. Only rows that are `counted` join levels.
    ///
    /// # Panics
    /// If there is no factor, or if one has not a level per row.
    pub fn new(columns: &Features, factors: &[Factor], counted: Option<&[bool]>) -> Self {
        let rows = columns.rows();
        let mut codes: Vec<Vec<u32>> = factors.iter().map(|factor| factor.codes.clone()).collect();
        let mut sizes: Vec<usize> = factors.iter().map(|factor| factor.levels.len()).collect();
        if sizes.len() == 1 {
            codes.push(vec![0; rows]);
            sizes.push(1);
        }
        assert!(codes.len() > 1 && codes.iter().all(|own| own.len() == rows), "a level per row");
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&f| std::cmp::Reverse(sizes[f]));
        let (hub, partner) = (order[0], order[1]);
        let mut starts = vec![0];
        sizes.iter().for_each(|size| starts.push(starts[starts.len() - 1] + size));
        let nodes = starts[sizes.len()];
        let counts = |row: usize| counted.is_none_or(|counted| counted[row]);
        let mut count = vec![0; nodes];
        for row in (0..rows).filter(|&row| counts(row)) {
            codes
                .iter()
                .zip(&starts)
                .for_each(|(own, start)| count[start + own[row] as usize] += 1);
        }
        let most = |range: std::ops::Range<usize>| {
            range.max_by_key(|&node| (count[node], std::cmp::Reverse(node)))
        };
        let hub_base = most(starts[hub]..starts[hub + 1]).expect("a level");
        let bases: Vec<Option<Components>> = (0..sizes.len())
            .map(|f| {
                let edges = (0..rows).filter(|&row| counts(row));
                let edges = edges.map(|row| (codes[hub][row], codes[f][row]));
                (f != hub).then(|| Components::of(edges, sizes[hub], sizes[f], starts[f], &count))
            })
            .collect();
        let mut is_base = vec![false; nodes];
        is_base[hub_base] = true;
        let others = bases.iter().flatten().flat_map(|own| own.base.iter().flatten());
        others.for_each(|&node| is_base[node] = true);
        let mut next = columns.columns();
        let column = (0..nodes)
            .map(|node| {
                let own = (count[node] > 0 && !is_base[node]).then_some(next);
                next += usize::from(own.is_some());
                own
            })
            .collect();
        // Data have a column, if one of zeros.
        let empty = next == 0;
        next += usize::from(empty);
        let mut design = LevelDesign {
            features: columns.clone(),
            columns: columns.columns() + usize::from(empty),
            given: factors.len(),
            codes,
            starts,
            hub,
            partner,
            column,
            count,
            hub_base,
            bases,
        };
        design.features = design.sparse(columns, next);
        design
    }

    fn sparse(&self, columns: &Features, width: usize) -> Features {
        let mut out = SparseBuilder::default();
        for row in 0..columns.rows() {
            columns.for_each(row, |k, value| {
                if value != 0.0 {
                    out.push(k, value);
                }
            });
            // Factors stand in order, and so do their columns.
            self.nodes_of(row).filter_map(|node| self.column[node]).for_each(|k| out.push(k, 1.0));
            out.end_row();
        }
        Features::Sparse(out.finish(width).expect("columns that rise"))
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.column.len()
    }

    /// Returns the nodes of a row, one per factor.
    pub fn nodes_of(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        self.codes.iter().zip(&self.starts).map(move |(own, start)| start + own[row] as usize)
    }

    /// Returns the node of a row that is of one factor.
    pub fn node(&self, factor: usize, row: usize) -> usize {
        self.starts[factor] + self.codes[factor][row] as usize
    }

    /// Returns the nodes of a factor.
    pub fn of_factor(&self, factor: usize) -> std::ops::Range<usize> {
        self.starts[factor]..self.starts[factor + 1]
    }

    /// Returns the direction of the design, the bias last, that gives every row that counts what coefficients of the columns and
    /// of all levels give it.
    pub fn direction(&self, columns: &[IBig], mut levels: Vec<IBig>) -> Vec<IBig> {
        let hub = self.of_factor(self.hub);
        for (f, own) in self.bases.iter().enumerate() {
            let Some(Components { hub: of_hub, own, base }) = own else { continue };
            let shift = |component: &Option<usize>| match component {
                Some(node) => levels[*node].clone(),
                None => IBig::ZERO,
            };
            let shifts: Vec<IBig> = base.iter().map(shift).collect();
            if shifts.iter().all(IBig::is_zero) {
                continue;
            }
            for (node, component) in self.of_factor(f).zip(own) {
                levels[node] -= &shifts[*component as usize];
            }
            for (node, component) in hub.clone().zip(of_hub) {
                levels[node] += &shifts[*component as usize];
            }
        }
        let bias = levels[self.hub_base].clone();
        if !bias.is_zero() {
            hub.for_each(|node| levels[node] -= &bias);
        }
        let mut direction = columns.to_vec();
        direction.resize(self.features.columns() + 1, IBig::ZERO);
        for (node, value) in levels.into_iter().enumerate() {
            if let Some(k) = self.column[node] {
                direction[k] = value;
            }
        }
        direction[self.features.columns()] = bias;
        direction
    }

    /// Returns true if a node is the base of its component with the hub.
    pub fn is_base(&self, node: usize) -> bool {
        self.count[node] > 0 && self.column[node].is_none()
    }
}

impl Components {
    fn of(
        edges: impl Iterator<Item = (u32, u32)>,
        hub: usize,
        own: usize,
        start: usize,
        count: &[usize],
    ) -> Self {
        let mut parent: Vec<u32> = (0..(hub + own) as u32).collect();
        for (a, b) in edges {
            let (a, b) = (root(&mut parent, a), root(&mut parent, hub as u32 + b));
            parent[a.max(b) as usize] = a.min(b);
        }
        // Components by their first member.
        let mut number = vec![u32::MAX; hub + own];
        let mut found = 0;
        let mut of = Vec::with_capacity(hub + own);
        for node in 0..(hub + own) as u32 {
            let root = root(&mut parent, node) as usize;
            if number[root] == u32::MAX {
                number[root] = found;
                found += 1;
            }
            of.push(number[root]);
        }
        let mut base: Vec<Option<usize>> = vec![None; found as usize];
        for level in 0..own {
            let (node, slot) = (start + level, &mut base[of[hub + level] as usize]);
            if count[node] > slot.map_or(0, |known| count[known]) {
                *slot = Some(node);
            }
        }
        let own = of.split_off(hub);
        Components { hub: of, own, base }
    }
}

/// Returns the root of a tree of parents, and shortens the way to it.
fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        let above = parent[parent[node as usize] as usize];
        parent[node as usize] = above;
        node = above;
    }
    node
}
