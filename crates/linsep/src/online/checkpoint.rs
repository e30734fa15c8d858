//! A fit in a file, to go on from.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::driver::{EpochRecord, FitError, FitSettings};
use super::{MethodSettings, Scaling, Tally, expect_length};
use crate::lift::Whole;

/// What no fit can count to: more is damage, and could overflow.
const MOST: u64 = 1 << 60;

/// All that is needed to go on with a fit as if it had never stopped.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    version: u32,
    /// What names the data; see [`Whole::name`].
    data: String,
    method: MethodSettings,
    #[serde(default, skip_serializing_if = "Scaling::is_none")]
    scale: Scaling,
    shuffle: bool,
    seed: u64,
    pub(super) progress: FitState,
    pub(super) method_state: Value,
}

/// Where a fit stands.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct FitState {
    /// The epoch under way, counted from 1, and the rows passed in it.
    pub(super) epoch: u64,
    pub(super) position: usize,
    /// Of this epoch, and in all.
    pub(super) here: Tally,
    pub(super) total: Tally,
    /// Of earlier sessions.
    pub(super) elapsed: Duration,
    /// Whole epochs, and the mistakes of the last one.
    pub(super) whole_epochs: u64,
    pub(super) last_mistakes: Option<u64>,
    pub(super) history: Vec<EpochRecord>,
    /// The fewest mistakes of any whole epoch, and the answer after it.
    pub(super) best: Option<(u64, Vec<f64>)>,
}

impl Checkpoint {
    const VERSION: u32 = 3;

    /// Returns the checkpoint that was written as JSON.
    ///
    /// Errors if it is of another version, or damaged.
    pub fn from_json(text: &str) -> Result<Self, FitError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let Versioned { version: found } = serde_json::from_str(text)?;
        match found == Self::VERSION {
            true => Ok(serde_json::from_str(text)?),
            false => Err(FitError::OtherVersion { found, expected: Self::VERSION }),
        }
    }

    pub(super) fn new(
        whole: &Whole,
        settings: &FitSettings,
        state: &FitState,
        method_state: Value,
    ) -> Checkpoint {
        Checkpoint {
            version: Self::VERSION,
            data: whole.name().to_string(),
            method: settings.method.clone(),
            scale: settings.scale,
            shuffle: settings.shuffle,
            seed: settings.seed,
            progress: state.clone(),
            method_state,
        }
    }

    pub(super) fn check(&self, whole: &Whole, settings: &FitSettings) -> Result<(), FitError> {
        let differences = [
            (self.version != Self::VERSION, "versions"),
            // In other units the same data has another name.
            (self.scale != settings.scale, "scales"),
            (self.data != whole.name(), "data"),
            (self.method != settings.method, "methods or settings"),
            ((self.shuffle, self.seed) != (settings.shuffle, settings.seed), "orders of rows"),
        ];
        match differences.iter().find(|(differs, _)| *differs) {
            Some((_, what)) => Err(FitError::OtherRun { what }),
            None => Ok(self.check_numbers(whole)?),
        }
    }

    /// Returns an error for numbers that no fit of these samples can have come to.
    fn check_numbers(&self, whole: &Whole) -> Result<(), serde_json::Error> {
        let FitState { epoch, position, here, total, elapsed, whole_epochs, best, .. } =
            &self.progress;
        let damaged = |what: String| Err(serde::de::Error::custom(what));
        if *position > whole.len() {
            return damaged(format!("position {position} in {} rows", whole.len()));
        }
        if let Some((_, best)) = best {
            expect_length(best, whole.data().shape().columns + 1)?;
        }
        let counts = [here, total].map(|t| [t.mistakes, t.updates, t.evaluated]);
        let largest =
            counts.into_iter().flatten().chain([*epoch, *whole_epochs, elapsed.as_secs()]);
        let largest = largest.max().max(Some(largest_count(&self.method_state)));
        match (*epoch, largest) {
            (0, _) => damaged("epochs are counted from 1".to_string()),
            (_, Some(count)) if count > MOST => damaged(format!("a count of {count}")),
            _ => Ok(()),
        }
    }
}

/// Returns the largest integer in a saved state.
fn largest_count(state: &Value) -> u64 {
    match state {
        Value::Number(number) => number.as_u64().unwrap_or(0),
        Value::Array(values) => values.iter().map(largest_count).max().unwrap_or(0),
        Value::Object(values) => values.values().map(largest_count).max().unwrap_or(0),
        _ => 0,
    }
}
