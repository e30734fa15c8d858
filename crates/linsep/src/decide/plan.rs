//! The plan: which strategies, in which order. Every threshold of shape stands here.
//!
//! ```text
//! rows                            order of strategies
//! ------------------------------  ----------------------------------------------------------
//! few features relative to rows   working set (of a sample first, where rows are very many), the same on the ladder
//! many features, dense            duplicates, smooth, Newton, for the largest margin the interior
//!                                 point method, then the working set, the same on the ladder
//! many features, sparse           duplicates, smooth, Newton, dual
//! very many for few sparse rows   duplicates, dual
//! ```
//!
//! Where a hyperplane to begin with is given, Newton's method on rows drawn for it comes first, whatever the shape.
//! Integers come last everywhere. To the largest geometric margin a separator goes on by the interior point method,
//! then by nearest points.
//!
//! A strategy that gives up hands over to the next. Integers alone come last: they give up at a limit
//! only. What needs all rows in memory is left out where they do not fit.

use linsep_data::Shape;

use super::options::{ConflictForm, DecideOptions};
use linsep_proof::MarginKind;

/// Coordinates from which on the largest geometric margin is left to an interior point method: it takes twenty
/// steps, and an active set as many as rows come and go.
const SEVERAL: usize = 32;
/// Coordinates up to which a working set comes first, however few the rows are.
const SOME: usize = 100;
/// Values up to which it does, too: it tells the largest margin on the way, and takes no time.
const SMALL: usize = 1 << 18;
/// Coordinates from which on L-BFGS comes first, however many the rows are: the inner solve of a working set would
/// dominate.
const MANY: usize = 700;
/// Coordinates from which on sparse rows that are fewer are left to the dual problem at once: a step of L-BFGS
/// is long there, whatever the rows.
const VERY_MANY: usize = 10_000;
/// Passes that L-BFGS may take before the next strategy takes over: it separates in far fewer or not
/// at all.
const SMOOTH_PASSES: u64 = 80;
/// Rows per coordinate that a working set starts with: enough to hold most rows that matter. Beyond so
/// many rows in all, fewer per coordinate: the inner solve costs more than another pass.
const STARTING_ROWS: usize = 20;
const STARTING_MOST: usize = 3000;
const STARTING_FEWER: usize = 8;
/// The same where they are those nearest to a hyperplane.
const NEAR_START: usize = 3;
/// Rows per coordinate that Newton's method starts with, and at most.
const NEWTON_START: usize = 2;
const NEWTON_MOST: usize = 8;
/// The same where rows are drawn for a hyperplane to begin with, at least so many, and the products of numbers that a step may take.
const DRAWN_START: usize = 4;
const DRAWN_LEAST: usize = 100;
const DRAWN_PRODUCTS: usize = 100_000_000;
/// Rows per coordinate that a pass adds to it at most: more would slow the inner solve for nothing.
const ADDED_ROWS: usize = 4;
/// Rows of a sample that is scanned before all are, as a multiple of those that a working set starts with, and at
/// least; its values at most (128 MiB); how many times as many rows there are in all, at least; and how many times as many
/// then join: they are nearer to the hyperplane, and another pass costs more.
const SAMPLE_TIMES: usize = 16;
const SAMPLE_LEAST: usize = 4;
const SAMPLE_VALUES: usize = 1 << 24;
const SAMPLE_SHARE: usize = 8;
const SAMPLE_ADDED: usize = 4;
/// Values that a working set may start with (1 GiB); it may grow to twice as many.
const WORKING_VALUES: usize = 1 << 27;
/// Rows that must fit a working set for nearest points to be worth looking for.
const NEAREST_ROWS: usize = 1000;
/// Passes of the dual descent before the signs of sparse rows are looked at.
const DUAL_PASSES: u64 = 30;
/// Rows per coordinate that are decided in integers at first, and that a pass adds to them at most.
const EXACT_ROWS: usize = 2;
/// Rows per coordinate that are projected at first, and that a pass adds at most.
const PROJECTED_ROWS: usize = 4;
/// Values that all questions of a search for removable rows may look at, in one pass each.
const REMOVAL_VALUES: usize = 4_000_000_000;
/// Products that their inner solves may take: per question, rows times the cube of the dimension.
const REMOVAL_PRODUCTS: usize = 1_200_000_000;
/// Questions for data so wide that only L-BFGS is affordable.
const REMOVAL_FEWEST: usize = 12;
/// Rows per coordinate that may be asked for conflicts that share none, how many more per conflict, and values in all.
const PACKING_ROWS: usize = 60;
const PACKING_SHARE: usize = 4;
const PACKING_VALUES: usize = 16_000_000;
/// Products that the search for them may take: in all, as a multiple of what the proof that each row is needed takes,
/// and for passes over all rows.
const PACKING_PRODUCTS: usize = 3_000_000_000;
const PACKING_TIMES: usize = 16;
const PACKING_PASSES: usize = 100;
/// Questions that may be asked of all rows for those that it has missed.
const PACKING_QUESTIONS: usize = 40;
/// Rows per coordinate near a hyperplane that are asked before all are.
const NEAR_ROWS: usize = 20;
/// Products of integers that leaving features out of a weak separator may take.
const THINNING_PRODUCTS: usize = 10_000_000;
/// Values that a scaled copy of the rows may have (1 GiB).
const SCALED_VALUES: usize = 1 << 27;

/// A strategy, and how far it may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanStep {
    /// One row under both labels; `sums`: take the sums of both classes in the same pass.
    Duplicates { sums: bool },
    /// L-BFGS on the logistic loss.
    Smooth { passes: u64 },
    /// Dual coordinate descent, and a look at the signs of sparse rows after `passes` passes.
    Dual { passes: u64 },
    /// Working set and point of smallest norm.
    WorkingSet(WorkingSize),
    /// Newton's method on some rows: a separator, or a matrix.
    Newton(WorkingSize),
    /// The same on rows drawn for the hyperplane to begin with.
    Drawn(WorkingSize),
    /// Working set and an interior point method, to the largest margin of the separator that is known.
    Widest(WorkingSize),
    /// Integers alone.
    Exact,
    /// The working set again, in coordinates that are far apart.
    Ladder(WorkingSize),
}

/// Rows of a working set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkingSize {
    /// At first.
    pub start: usize,
    /// That a pass adds at most.
    pub added: usize,
    /// At most.
    pub most: usize,
    /// Of a sample that is scanned before all rows are; 0 for none.
    pub sample: usize,
}

impl WorkingSize {
    /// Returns the size on the ladder: a row costs the square of its coordinates there, so it starts
    /// with fewer.
    fn on_the_ladder(coordinates: usize) -> Self {
        WorkingSize { start: STARTING_FEWER * coordinates, ..Self::of(coordinates) }
    }

    /// Returns the size for Newton's method: a step costs rows times the square of the coordinates.
    fn newton(coordinates: usize) -> Self {
        let Self { most, .. } = Self::of(coordinates);
        let start = (NEWTON_START * coordinates).min(most / 2);
        let most = (NEWTON_MOST * coordinates).min(most);
        WorkingSize { start, added: coordinates, most, sample: 0 }
    }

    /// Returns the size for Newton's method on rows that are drawn.
    fn drawn(coordinates: usize) -> Self {
        let fitting = Self::of(coordinates).most / 2;
        let start = (DRAWN_START * coordinates).max(DRAWN_LEAST).min(fitting);
        let most = (DRAWN_PRODUCTS / coordinates / coordinates).clamp(start, fitting.max(start));
        WorkingSize { start, added: coordinates, most, sample: 0 }
    }

    /// Returns the size where the rows nearest to a hyperplane are what it starts with.
    fn near(coordinates: usize) -> Self {
        let Self { added, most, .. } = Self::of(coordinates);
        WorkingSize { start: (NEAR_START * coordinates).min(most / 2), added, most, sample: 0 }
    }

    fn of(coordinates: usize) -> Self {
        let fitting = (WORKING_VALUES / coordinates).max(2);
        WorkingSize {
            start: (STARTING_ROWS * coordinates)
                .min(STARTING_MOST.max(STARTING_FEWER * coordinates))
                .min(fitting),
            added: ADDED_ROWS * coordinates,
            most: 2 * fitting,
            sample: 0,
        }
    }

    /// Returns the same with a sample, where rows are many.
    fn sampled(self, rows: usize, coordinates: usize) -> Self {
        let sample = (SAMPLE_TIMES * self.start).min(SAMPLE_VALUES / coordinates);
        match sample >= SAMPLE_LEAST * self.start && sample.saturating_mul(SAMPLE_SHARE) <= rows {
            true => WorkingSize { sample, added: SAMPLE_ADDED * self.added, ..self },
            false => self,
        }
    }
}

/// Returns true if the plan for rows of this shape has a step that needs all of them in memory.
pub(crate) fn needs_all_rows(shape: Shape, options: &DecideOptions) -> bool {
    let needs = |step: &PlanStep| matches!(step, PlanStep::Dual { .. });
    steps(shape, options, true).iter().any(needs)
}

/// Returns true if L-BFGS comes first: it takes some thirty passes, and the inner solve of a working set time that
/// grows with the cube of the coordinates.
fn smooth_first(shape: Shape) -> bool {
    let coordinates = shape.columns + 1;
    let small = shape.rows * coordinates < SMALL;
    coordinates >= MANY || !small && coordinates > SOME && coordinates.pow(2) > shape.rows
}

/// Returns the strategies for rows of this shape, in order. `fits`: all rows can be in memory.
pub(crate) fn steps(shape: Shape, options: &DecideOptions, fits: bool) -> Vec<PlanStep> {
    let coordinates = shape.columns + 1;
    let drawn = options.start.is_some()
        && options.conflict == ConflictForm::Any
        && shape.rows > coordinates;
    let first = drawn.then(|| PlanStep::Drawn(WorkingSize::drawn(coordinates)));
    first.into_iter().chain(by_shape(shape, options, fits)).collect()
}

fn by_shape(shape: Shape, options: &DecideOptions, fits: bool) -> Vec<PlanStep> {
    let coordinates = shape.columns + 1;
    let size = WorkingSize::of(coordinates).sampled(shape.rows, coordinates);
    let working_set = PlanStep::WorkingSet(size);
    let smooth = PlanStep::Smooth { passes: SMOOTH_PASSES };
    let ladder = PlanStep::Ladder(WorkingSize::on_the_ladder(coordinates));
    if !smooth_first(shape) {
        return vec![working_set, ladder, PlanStep::Exact];
    }
    let dual = PlanStep::Dual { passes: DUAL_PASSES };
    let newton = PlanStep::Newton(WorkingSize::newton(coordinates));
    // Fewer rows than coordinates never rule a weak separation out.
    let newton =
        (options.conflict == ConflictForm::Any && shape.rows > coordinates).then_some(newton);
    if shape.sparse && fits {
        return match coordinates < VERY_MANY || coordinates <= shape.rows {
            true => [Some(PlanStep::Duplicates { sums: true }), Some(smooth), newton]
                .into_iter()
                .flatten()
                .chain([dual, PlanStep::Exact])
                .collect(),
            false => vec![PlanStep::Duplicates { sums: false }, dual, PlanStep::Exact],
        };
    }
    let mut steps = vec![PlanStep::Duplicates { sums: true }, smooth];
    steps.extend(newton);
    if options.seeks(MarginKind::Angular) {
        steps.push(PlanStep::Widest(WorkingSize::near(coordinates)));
    }
    steps.extend([working_set, ladder, PlanStep::Exact]);
    steps
}

/// Returns how many rows are decided in integers at first, and how many a pass adds at most.
pub(crate) fn exact_rows(shape: Shape) -> usize {
    EXACT_ROWS * (shape.columns + 1)
}

/// A way from a separator to the largest geometric margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Widening {
    /// Working set and an interior point method.
    Interior(WorkingSize),
    /// Working set and nearest points of hulls.
    NearestPoints(WorkingSize),
}

/// Returns the ways to the largest geometric margin, in order; none if too few rows fit a working set.
pub(crate) fn widening(shape: Shape) -> Vec<Widening> {
    let coordinates = shape.columns + 1;
    let size = WorkingSize::of(coordinates);
    if size.most / 2 < shape.rows.min(NEAREST_ROWS) {
        return vec![];
    }
    let nearest = Widening::NearestPoints(size);
    match coordinates < SEVERAL {
        true => vec![nearest],
        false => vec![Widening::Interior(WorkingSize::near(coordinates)), nearest],
    }
}

/// Returns how many rows are projected at first after a conflict, and how many a pass adds at most.
pub(crate) fn projected_rows(shape: Shape) -> usize {
    PROJECTED_ROWS * (shape.columns + 1)
}

/// Returns true if rows of a basis are chosen so that they lie far apart: that takes the cube of the
/// coordinates, and more.
pub(crate) fn basis_is_chosen(shape: Shape) -> bool {
    shape.columns < MANY
}

/// Returns how many questions a search for removable rows may ask.
pub(crate) fn removal_questions(shape: Shape) -> usize {
    let coordinates = shape.columns + 1;
    let solves = REMOVAL_PRODUCTS / NEAR_ROWS / coordinates.saturating_pow(3);
    solves.min(REMOVAL_VALUES / (shape.rows * coordinates)).max(REMOVAL_FEWEST)
}

/// Returns the passes that one of these questions may take: L-BFGS on wide rows, and not much more.
pub(crate) fn removal_passes() -> u64 {
    SMOOTH_PASSES
}

/// Returns how many rows near a hyperplane are asked before all are.
pub(crate) fn near_rows(shape: Shape) -> usize {
    NEAR_ROWS * (shape.columns + 1)
}

/// Returns how many rows near a hyperplane may be asked for `conflicts` conflicts that share none.
pub(crate) fn packing_rows(shape: Shape, conflicts: usize) -> usize {
    let coordinates = shape.columns + 1;
    let rows = (PACKING_ROWS + PACKING_SHARE * conflicts).saturating_mul(coordinates);
    rows.min(PACKING_VALUES / coordinates)
}

/// Returns the products that the search for `conflicts` conflicts may take; 0 if there are too many features to find
/// even one.
pub(crate) fn packing_products(shape: Shape, conflicts: usize) -> usize {
    let coordinates = shape.columns + 1;
    // What to prove that each is needed takes, about.
    let once = NEAR_ROWS * coordinates.saturating_pow(3);
    let rows = shape.rows.saturating_mul(coordinates).saturating_mul(PACKING_PASSES);
    let products = once.saturating_mul(conflicts).saturating_mul(PACKING_TIMES);
    match once > PACKING_PRODUCTS {
        true => 0,
        false => products.saturating_add(rows).min(PACKING_PRODUCTS),
    }
}

/// Returns how many questions may be asked of all rows for conflicts that it has missed.
pub(crate) fn packing_questions(shape: Shape) -> usize {
    (removal_questions(shape) / 4).min(PACKING_QUESTIONS)
}

/// Returns true if features may be left out, one after the other, of a weak separator with `features` of them.
pub(crate) fn thinning_is_affordable(rows: usize, features: usize) -> bool {
    rows.saturating_mul(features.pow(3)) <= THINNING_PRODUCTS
}

/// Returns true if `values` values may be copied to be scaled.
pub(crate) fn scaling_is_affordable(values: usize) -> bool {
    values <= SCALED_VALUES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: usize, columns: usize, sparse: bool, fits: bool, expected: &str) {
        let options = DecideOptions::default().with_margin(super::super::MarginGoal::Max);
        let steps = steps(Shape { rows, columns, sparse }, &options, fits);
        let names: Vec<String> = steps
            .iter()
            .map(|step| format!("{step:?}").split([' ', '(']).next().unwrap().to_lowercase())
            .collect();
        assert_eq!(names.join(" "), expected);
    }

    #[test]
    fn the_order_goes_by_shape() {
        check(1000, 10, false, true, "workingset ladder exact");
        check(1_000_000, 100, false, true, "workingset ladder exact");
        check(10_000, 99, false, true, "workingset ladder exact");
        check(1_000, 150, false, true, "workingset ladder exact");
        check(10_000, 100, false, true, "duplicates smooth newton widest workingset ladder exact");
        check(100_000, 300, false, true, "workingset ladder exact");
        check(
            10_000,
            1_000,
            false,
            true,
            "duplicates smooth newton widest workingset ladder exact",
        );
        check(1_000, 10_000, false, true, "duplicates smooth widest workingset ladder exact");
        check(20_000, 3_000, true, true, "duplicates smooth newton dual exact");
        check(100_000, 50_000, true, true, "duplicates smooth newton dual exact");
        check(20_000, 1_000_000, true, true, "duplicates dual exact");
        // What needs rows in memory is left out where they do not fit.
        check(
            20_000,
            3_000,
            true,
            false,
            "duplicates smooth newton widest workingset ladder exact",
        );
    }

    #[test]
    fn many_rows_are_sampled_first() {
        let sizes = |rows, columns| {
            let shape = Shape { rows, columns, sparse: false };
            match steps(shape, &DecideOptions::default(), true)[..] {
                [PlanStep::WorkingSet(size), PlanStep::Ladder(ladder), _] => {
                    assert_eq!(ladder.sample, 0);
                    (size.sample, size.added)
                }
                _ => panic!("{rows} x {columns}"),
            }
        };
        assert_eq!(sizes(1_000_000, 100), (32_320, 1616));
        assert_eq!(sizes(100_000, 100), (0, 404));
        assert_eq!(sizes(20_000, 4), (1600, 80));
        // No more than fits.
        assert_eq!(sizes(100_000_000, 600).0, (1 << 24) / 601);
    }

    #[test]
    fn a_hyperplane_to_begin_with_comes_first() {
        let start = DecideOptions::default().with_start(vec![0.0; 11]);
        let first = |rows, options: &DecideOptions| {
            steps(Shape { rows, columns: 10, sparse: false }, options, true)[0]
        };
        assert!(matches!(first(1000, &start), PlanStep::Drawn(_)));
        assert!(matches!(first(11, &start), PlanStep::WorkingSet(_)));
        let exact = start.with_conflict(ConflictForm::Exact);
        assert!(matches!(first(1000, &exact), PlanStep::WorkingSet(_)));
    }
}
