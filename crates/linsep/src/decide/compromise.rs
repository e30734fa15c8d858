//! A hyperplane for rows that none separates: the descent on the logistic loss, to its end.
//!
//! ```text
//! minimise  sum of ln(1 + exp(-w·z)) over lifted rows
//! stop      when a step lowers the loss by less than a ten-thousandth, or at a limit
//! return    of all w on the way the one with the fewest mistakes
//! ```
//!
//! For rows that may be on disk or on other machines, so passes are few and no row is kept. `explain/robust.rs` makes
//! fewer mistakes of rows in memory: it goes on from such a minimum, and takes hundreds of passes.
//!
//! Nothing is proven of it: the fewest mistakes that any hyperplane makes are hard to find. Cost: a pass
//! per step, or two, and one before the first; wherever the rows are.

use linsep_data::{Data, Error};

use super::budget::Budget;
use super::folds::class_sums::ClassSums;
use super::folds::logistic::LogisticLine;
use super::options::DecideOptions;
use super::solvers::logistic_descent::{DescentStep, LogisticDescent, LookedAtRows, StepLook};
use crate::Hyperplane;
use crate::queries::fold;
use crate::watch::Watch;

/// A step that lowers the loss by a smaller share than this is the last.
const SMALL: f64 = 1e-4;
/// The passes that it takes unless the options allow fewer. The optimum is not a proof, so near it will do.
const MOST_PASSES: u64 = 60;

/// A hyperplane that puts most rows on their own side.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compromise {
    /// The hyperplane.
    pub hyperplane: Hyperplane,
    /// Rows that it does not put on their own side, as floats see it.
    pub mistakes: u64,
    /// Reads of all rows.
    pub passes: u64,
}

/// Returns a hyperplane with few mistakes. Of the options, the limits count.
///
/// Errors if the rows cannot be read.
///
/// ```
/// use linsep::Samples;
/// use linsep::data::Memory;
/// use linsep::decide::{DecideOptions, compromise_data};
///
/// // Positive rows are on the right, except one that has changed places with a negative one.
/// let x = vec![-4.0, -3.0, 2.0, -1.0, 1.0, -2.0, 3.0, 4.0];
/// let samples = Samples::dense(x, 1, (0..8).map(|i| i >= 4).collect())?;
/// let found = compromise_data(&Memory::new(&samples), &DecideOptions::default(), &mut ())?;
/// assert_eq!(found.mistakes, 2);
/// # Ok::<_, linsep::Error>(())
/// ```
pub fn compromise_data(
    data: &dyn Data,
    options: &DecideOptions,
    watch: &mut dyn Watch,
) -> Result<Compromise, Error> {
    let before = data.reads().passes(data.shape());
    let most = options.max_passes.map_or(MOST_PASSES, |most| most.min(MOST_PASSES));
    let mut budget = Budget::new(data, watch, before + most, options.time_limit);
    let sums = fold(data, &ClassSums::new(data.shape()))?;
    let mut descent = LogisticDescent::new(data.shape().rows, &sums.total(), sums.unsigned());
    let mut rows = PassReader(data);
    // The first step is made in any case: w = 0 is no hyperplane, unless the classes cancel.
    let mut best: Option<(u64, Vec<f64>)> = None;
    loop {
        let loss = descent.loss();
        let moved = descent.step(&mut rows)?;
        let (mistakes, w) = descent.best();
        budget.tell(mistakes, f64::NEG_INFINITY, f64::INFINITY);
        if best.as_ref().is_none_or(|(fewest, _)| mistakes < *fewest) {
            best = Some((mistakes, w.to_vec()));
        }
        let small = loss - descent.loss() < SMALL * loss;
        if !moved || small || mistakes == 0 || budget.halted() {
            break;
        }
    }
    let (mistakes, w) = best.expect("a step was made");
    let passes = budget.passes() - before;
    Ok(Compromise { hyperplane: Hyperplane::from_lifted(w), mistakes, passes })
}

/// Each look is a pass.
struct PassReader<'a>(&'a dyn Data);

impl LookedAtRows for PassReader<'_> {
    type Error = Error;

    fn look(&mut self, step: DescentStep) -> Result<StepLook, Error> {
        Ok(fold(self.0, &LogisticLine::new(self.0.shape(), step))?.look())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;
    use crate::data::Memory;
    use crate::data::generate::Generator;

    #[test]
    fn flipped_labels_are_the_mistakes_that_are_left() {
        let clean = Generator::new(2_000, 5, 1).samples::<f64>().unwrap();
        let mut x = vec![];
        (0..2_000).for_each(|i| clean.features().for_each(i, |_, v| x.push(v)));
        let mut y = clean.positive().to_vec();
        (0..2_000).step_by(50).for_each(|i| y[i] = !y[i]);
        let samples = Samples::dense(x, 5, y).unwrap();
        let data = Memory::new(&samples);
        let found = compromise_data(&data, &DecideOptions::default(), &mut ()).unwrap();
        assert!((20..=80).contains(&found.mistakes), "{found:?}");
        assert_eq!(found.mistakes, found.hyperplane.evaluate(&samples).mistakes);
        // A limit is heeded, and there is a hyperplane all the same.
        let least = DecideOptions::default().with_max_passes(1);
        let first = compromise_data(&data, &least, &mut ()).unwrap();
        assert!(first.passes <= 3 && first.hyperplane.weights.iter().any(|w| *w != 0.0));
    }

    #[test]
    fn classes_that_cancel_have_one_too() {
        let samples = Samples::dense(vec![1.0, 1.0], 1, vec![true, false]).unwrap();
        let found = compromise_data(&Memory::new(&samples), &DecideOptions::default(), &mut ());
        assert!(found.unwrap().mistakes >= 1);
    }
}
