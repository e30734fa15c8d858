//! The slow last phase of the paper's method: on how many rows its late corrections fall.

use linsep::Samples;
use linsep::lift::Rows;
use linsep::online::fine::{Fine, FineSettings};
use linsep::online::{Method, Order, Span};

use super::cures::DataSet;
use super::study::MAX_EPOCHS;

/// What the paper's method does in the second half of its epochs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastPhase {
    /// The data.
    pub set: DataSet,
    /// Rows of the data.
    pub rows: usize,
    /// Features of the data.
    pub features: usize,
    /// Epochs, the last one, without a mistake, included.
    pub epochs: u64,
    /// Corrections in all.
    pub corrections: u64,
    /// Corrections in the second half of the epochs.
    pub late_corrections: u64,
    /// Different rows that were corrected there.
    pub late_rows: u64,
}

/// Runs `fine` and notes which rows it corrects.
pub fn last_phase(samples: &Samples, set: &DataSet, epsilon: f64) -> LastPhase {
    let rows = Rows::lifted(samples);
    let settings = FineSettings { epsilon, ..FineSettings::default() };
    let mut method = Fine::new(&settings, &rows, 0);
    // The epoch of every correction, and its row.
    let mut corrected: Vec<(u32, u32)> = vec![];
    let mut epochs = 0;
    while epochs < MAX_EPOCHS {
        epochs += 1;
        let before = corrected.len();
        for i in 0..rows.len() {
            let order = Order::natural();
            let span = Span { order: &order, positions: i..i + 1, epoch: epochs };
            if method.learn(&rows, &span).mistakes > 0 {
                corrected.push((epochs as u32, i as u32));
            }
        }
        if corrected.len() == before {
            break;
        }
    }
    let late = corrected.iter().filter(|(epoch, _)| 2 * u64::from(*epoch) > epochs);
    let mut late_rows: Vec<u32> = late.map(|(_, row)| *row).collect();
    let late_corrections = late_rows.len() as u64;
    late_rows.sort_unstable();
    late_rows.dedup();
    LastPhase {
        set: set.clone(),
        rows: rows.len(),
        features: samples.columns(),
        epochs,
        corrections: corrected.len() as u64,
        late_corrections,
        late_rows: late_rows.len() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::study::Sizes;
    use crate::experiments::{EXPERIMENTS, Precision};
    use linsep::online::{FitSettings, MethodSettings, fit};

    #[test]
    fn it_is_the_run_that_a_fit_makes() {
        let experiment = EXPERIMENTS[2].scaled(0.02);
        let samples = experiment.data(1, Precision::Double).unwrap();
        let set = DataSet::generated(Sizes::Tenth, 'c', 1);
        let found = last_phase(&samples, &set, 1e-9);
        let method = MethodSettings::Fine(FineSettings::default());
        let settings = FitSettings { method, ..FitSettings::default() };
        let fit = fit(&samples, &settings, &mut (), None).unwrap();
        assert_eq!((found.epochs, found.corrections), (fit.epochs, fit.updates));
        assert!(found.late_rows <= found.late_corrections);
        assert!(found.late_corrections < found.corrections);
    }
}
