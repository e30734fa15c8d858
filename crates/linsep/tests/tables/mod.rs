//! Tables as people have them, made up: for tests that no such table ends undecided, and for the
//! benchmark that says how long each takes.
//!
//! A table has columns and a hidden score, which is a linear function of them up to rounding. Labels are
//! the sign of the score, the same with some flipped, or chance.

#![allow(clippy::disallowed_methods, reason = "numbers of a test")]

use linsep::Samples;

/// How the columns of a table come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers of size one.
    Plain,
    /// A unix timestamp, an amount in cents and a year beside numbers of size one.
    Timestamps,
    /// Columns of size 2^-200 to 2^200.
    Scales,
    /// Numbers of size one, all 10^8 away from zero.
    Offsets,
    /// Shares that add up to one, rounded.
    Shares,
    /// The rounded mean of all columns, and rounded sums of two.
    Sums,
    /// Some columns twice, with a relative difference of 1e-12.
    Copies,
    /// A tenth as many hidden columns, mixed and rounded.
    LowRank,
    /// The powers of one number.
    Powers,
    /// Labels hang on the rounding error of a sum, and on nothing else.
    Roundings,
    /// Dummies of three factors, all levels but the first.
    Factors,
    /// The same with a level that only one class has.
    RareLevel,
    /// Dummies of two factors and of all pairs of their levels; some pairs do not occur.
    TwoWay,
    /// Dummies of three factors, of all pairs and of all triples.
    ThreeWay,
    /// Counts, most of them zero.
    Counts,
    /// Whole numbers of few values, so that many rows lie on the hyperplane itself, under both labels.
    Ties,
    /// Numbers that are missing now and then: zero there, and a column that says so.
    Missing,
    /// Constant, empty, doubled and negated columns beside others.
    Aliased,
    /// A hidden combination that is zero but in some rows, where it has the sign of the label.
    Hidden,
    /// A timestamp, shares, a sum, an amount, a constant, a flag and all dummies of a factor in one table.
    Mixed,
    /// The same with a level that only one class has.
    MixedRare,
}

pub const KINDS: [Kind; 21] = [
    Kind::Plain,
    Kind::Timestamps,
    Kind::Scales,
    Kind::Offsets,
    Kind::Shares,
    Kind::Sums,
    Kind::Copies,
    Kind::LowRank,
    Kind::Powers,
    Kind::Roundings,
    Kind::Factors,
    Kind::RareLevel,
    Kind::TwoWay,
    Kind::ThreeWay,
    Kind::Counts,
    Kind::Ties,
    Kind::Missing,
    Kind::Aliased,
    Kind::Hidden,
    Kind::Mixed,
    Kind::MixedRare,
];

/// Where labels come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// The sign of the score.
    Clean,
    /// The same, one in fifty flipped.
    Flipped,
    /// Nowhere.
    Chance,
}

/// Random numbers, the same everywhere.
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Self {
        let mut draw = Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        (0..4).for_each(|_| {
            draw.below(2);
        });
        draw
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0 >> 11) * n as u128) >> 53) as usize
    }

    /// Returns a number between -1 and 1.
    pub fn number(&mut self) -> f64 {
        self.below(1 << 53) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Returns a number of about a normal distribution.
    fn normal(&mut self) -> f64 {
        (0..6).map(|_| self.number()).sum::<f64>() / 2f64.sqrt()
    }
}

/// Returns a table of this kind, with about `columns` columns. The same arguments give the same table.
pub fn table(kind: Kind, rows: usize, columns: usize, labels: Labels, seed: u64) -> Samples {
    let mut draw = Draw::new(seed);
    let (mut values, mut scores) = (vec![], vec![]);
    let mut maker = Maker::new(kind, columns, &mut draw);
    while scores.len() < rows {
        let (row, score) = maker.row(&mut draw);
        // Too near to the hyperplane for the label to be the same after rounding.
        if kind != Kind::Roundings && kind != Kind::Ties && score.abs() < 1e-3 {
            continue;
        }
        if kind == Kind::Roundings && score == 0.0 {
            continue;
        }
        values.push(row);
        scores.push(score);
    }
    if matches!(kind, Kind::Factors | Kind::RareLevel | Kind::TwoWay | Kind::ThreeWay) {
        // The effects of few levels may all have one sign.
        let mut sorted = scores.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted[rows / 2];
        scores.iter_mut().for_each(|score| *score -= middle);
    }
    let label = |draw: &mut Draw, score: f64| match labels {
        // Ties have rows of either label on the hyperplane itself.
        Labels::Clean => score > 0.0 || (kind == Kind::Ties && score == 0.0 && draw.below(2) == 1),
        Labels::Flipped => (score > 0.0) ^ (draw.below(50) == 0),
        Labels::Chance => draw.below(2) == 1,
    };
    let mut positive: Vec<bool> = scores.iter().map(|&score| label(&mut draw, score)).collect();
    if positive.iter().all(|&p| p == positive[0]) {
        positive[0] = !positive[0];
    }
    maker.settle(&mut values, &mut positive, &mut draw);
    let width = values[0].len();
    Samples::dense(values.concat(), width, positive).expect("finite numbers and two classes")
}

/// What the rows of one table have in common.
struct Maker {
    kind: Kind,
    columns: usize,
    weights: Vec<f64>,
    mix: Vec<Vec<f64>>,
    levels: Vec<usize>,
    effects: Vec<Vec<f64>>,
}

impl Maker {
    fn new(kind: Kind, columns: usize, draw: &mut Draw) -> Self {
        let columns = columns.max(4);
        let few = (columns / 10).max(3);
        let levels = match kind {
            Kind::Factors | Kind::RareLevel => {
                let each = (columns / 3).max(1) + 1;
                vec![each, each, columns.saturating_sub(2 * (each - 1)).max(1) + 1]
            }
            Kind::TwoWay => {
                let b = ((columns as f64).sqrt() / 2.0).round().max(1.0) as usize + 1;
                vec![(columns / b).max(2), b]
            }
            Kind::ThreeWay => {
                let c = (columns as f64).cbrt().round().max(2.0) as usize;
                vec![(columns / (c * c)).max(2), c, c]
            }
            _ => vec![],
        };
        let effects = levels.iter().map(|&n| (0..n).map(|_| draw.number()).collect()).collect();
        Maker {
            kind,
            columns,
            weights: (0..columns).map(|_| draw.number()).collect(),
            mix: (0..columns).map(|_| (0..few).map(|_| draw.number()).collect()).collect(),
            levels,
            effects,
        }
    }

    /// Returns a row and its score.
    fn row(&mut self, draw: &mut Draw) -> (Vec<f64>, f64) {
        let n = self.columns;
        let weights = &self.weights;
        let score = |x: &[f64]| x.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
        let mut x: Vec<f64> = (0..n).map(|_| draw.normal()).collect();
        match self.kind {
            Kind::Plain => (x.clone(), score(&x)),
            Kind::Timestamps => {
                let mut table = x.clone();
                table[0] = (1.7e9 + x[0] * 1e7).round();
                table[1] = (x[1].abs() * 12345.0).round() / 100.0;
                table[2] = (2000.0 + 10.0 * x[2]).floor();
                x[0] = (table[0] - 1.7e9) / 1e7;
                x[1] = table[1] / 1e3;
                x[2] = (table[2] - 2000.0) / 10.0;
                let score = score(&x);
                (table, score)
            }
            Kind::Scales => {
                let scale = |k: usize| 2f64.powi((k as i32 * 149) % 401 - 200);
                (x.iter().enumerate().map(|(k, v)| v * scale(k)).collect(), score(&x))
            }
            Kind::Offsets => {
                let table: Vec<f64> = x.iter().map(|v| v + 1e8).collect();
                x.iter_mut().zip(&table).for_each(|(x, v)| *x = v - 1e8);
                let score = score(&x);
                (table, score)
            }
            Kind::Shares => {
                x.iter_mut().for_each(|v| *v = v.abs() + 0.1);
                let total: f64 = x.iter().sum();
                let table: Vec<f64> = x.iter().map(|v| v / total).collect();
                let middle = weights.iter().sum::<f64>() / n as f64;
                let score = (score(&table) - middle) * (n as f64).sqrt();
                (table, score)
            }
            Kind::Sums => {
                let sums = (n / 8).max(1);
                let mut table = x.clone();
                table.truncate(n - 1 - sums);
                let kept = table.len();
                let mean = table.iter().sum::<f64>() / kept as f64;
                let score = score(&table);
                (0..sums).for_each(|k| table.push(x[k % kept] + x[(k + 1) % kept]));
                table.push(mean);
                (table, score)
            }
            Kind::Copies => {
                let copies = n / 4;
                let mut table = x.clone();
                for k in 0..copies {
                    table[n - 1 - k] = x[k] * (1.0 + 1e-12 * x[n - 1 - k]);
                }
                (table.clone(), score(&table))
            }
            Kind::LowRank => {
                let hidden = &x[..self.mix[0].len().min(n)];
                let mixed = |mix: &Vec<f64>| mix.iter().zip(hidden).map(|(m, h)| m * h).sum();
                let table: Vec<f64> = self.mix.iter().map(mixed).collect();
                let score = score(hidden);
                (table, score)
            }
            Kind::Powers => {
                let t = x[0] / 2.0;
                let table: Vec<f64> = (1..=n as i32).map(|k| t.powi(k)).collect();
                (table, t * t * t - 0.6 * t + 0.1)
            }
            Kind::Roundings => {
                let (a, b) = (x[0], x[1]);
                let c = a + b;
                let rest = (a - (c - (c - a))) + (b - (c - a));
                x[2] = c;
                (x, rest)
            }
            Kind::Factors | Kind::RareLevel | Kind::TwoWay | Kind::ThreeWay => self.dummies(draw),
            Kind::Counts => {
                x.fill(0.0);
                for _ in 0..12 {
                    // Words of very different frequency.
                    let word = ((n as f64).powf(draw.number().abs()) - 1.0) as usize;
                    x[word.min(n - 1)] += 1.0;
                }
                let score = score(&x);
                (x, score)
            }
            Kind::Ties => {
                x.iter_mut().for_each(|v| *v = v.round().clamp(-2.0, 2.0));
                let score = x.iter().zip(weights).map(|(x, w)| x * (w * 3.0).round()).sum();
                (x, score)
            }
            Kind::Missing => {
                let kept = n / 2;
                let mut table = x[..kept].to_vec();
                let mut flags = vec![0.0; n - kept];
                for k in 0..n - kept {
                    if draw.below(12) == 0 && k < kept {
                        (table[k], flags[k]) = (0.0, 1.0);
                    }
                }
                table.extend(flags);
                let score = score(&table);
                (table, score)
            }
            Kind::Aliased => {
                let mut table = x.clone();
                for k in (0..n).skip(3).step_by(4) {
                    table[k] = match k / 4 % 4 {
                        0 => 0.0,
                        1 => 3.7,
                        2 => table[k - 1],
                        _ => -table[k - 2],
                    };
                }
                let score = score(&table[..3]);
                (table, score)
            }
            Kind::Hidden => {
                x.iter_mut().for_each(|v| *v = (*v * 10.0).round());
                let score = score(&x);
                (x, score)
            }
            Kind::Mixed | Kind::MixedRare => {
                let levels = (n / 2).max(2);
                let level = draw.below(levels).min(draw.below(levels));
                let mut table: Vec<f64> =
                    (0..levels).map(|k| f64::from(u8::from(k == level))).collect();
                let timestamp = (1.7e9 + x[0] * 1e7).round();
                let amount = (x[1].abs() * 12345.0).round() / 100.0;
                let parts = [x[2].abs() + 0.1, x[3].abs() + 0.1, 0.3];
                let total: f64 = parts.iter().sum();
                table.extend([timestamp, amount, 3.7, f64::from(u8::from(x[0] > 1.0))]);
                table.extend(parts.map(|part| part / total));
                table.extend(&x[4.min(n)..n.saturating_sub(levels).max(4.min(n))]);
                let last = table.len() - 1;
                table.push(table[last] + amount);
                let score = (timestamp - 1.7e9) / 1e7 - amount / 100.0 + weights[level % n] + 0.5;
                (table, score)
            }
        }
    }

    /// Returns the dummies of a row, and the sum of the effects of its levels.
    fn dummies(&self, draw: &mut Draw) -> (Vec<f64>, f64) {
        // Low levels are more frequent, and some pairs do not occur at all.
        let mut level = |n: usize| draw.below(n).min(draw.below(n + n / 2).min(n - 1));
        let mut chosen: Vec<usize> = self.levels.iter().map(|&n| level(n)).collect();
        if self.kind != Kind::Factors && (chosen[0] * 7 + chosen[1] * 3) % 11 == 5 {
            chosen[1] = 0;
        }
        let dummies =
            |size: usize, at: usize| (1..size).map(move |level| f64::from(u8::from(level == at)));
        let (a, b) = (self.levels[0], self.levels[1]);
        let mut row: Vec<f64> =
            self.levels.iter().zip(&chosen).flat_map(|(&n, &at)| dummies(n, at)).collect();
        let both = |x: usize, y: usize| {
            if chosen[x] * chosen[y] == 0 {
                0
            } else {
                (chosen[x] - 1) * (self.levels[y] - 1) + chosen[y]
            }
        };
        if matches!(self.kind, Kind::TwoWay | Kind::ThreeWay) {
            row.extend(dummies((a - 1) * (b - 1) + 1, both(0, 1)));
        }
        if self.kind == Kind::ThreeWay {
            let c = self.levels[2];
            row.extend(dummies((a - 1) * (c - 1) + 1, both(0, 2)));
            row.extend(dummies((b - 1) * (c - 1) + 1, both(1, 2)));
            let all = match both(0, 1) * chosen[2] {
                0 => 0,
                _ => (both(0, 1) - 1) * (c - 1) + chosen[2],
            };
            row.extend(dummies((a - 1) * (b - 1) * (c - 1) + 1, all));
        }
        let effects = self.effects.iter().zip(&chosen).map(|(effects, &at)| effects[at]);
        (row, effects.sum())
    }

    /// Changes what depends on the labels.
    fn settle(&self, values: &mut [Vec<f64>], positive: &mut [bool], draw: &mut Draw) {
        match self.kind {
            // Dummies come first; the last one of all levels is rare enough.
            Kind::RareLevel | Kind::MixedRare => {
                let rare =
                    if self.kind == Kind::RareLevel { 0 } else { (self.columns / 2).max(2) - 1 };
                for (row, positive) in values.iter().zip(positive) {
                    *positive |= row[rare] == 1.0;
                }
            }
            Kind::Hidden => {
                for (row, &positive) in values.iter_mut().zip(&*positive) {
                    let strict = if draw.below(12) == 0 { 1.0 + draw.below(3) as f64 } else { 0.0 };
                    let sign = if positive { strict } else { -strict };
                    row[0] = sign - row[1] - 2.0 * row[2] + row[3];
                }
            }
            _ => {}
        }
    }
}
