//! Races: several methods on the same data, in the same order, counted the same way.

use crate::Samples;
use crate::data::{Data, Memory};
use crate::online::{Fit, FitError, FitSettings, MethodSettings, Stop, fit_data};
use crate::watch::{Stage, Watch};

/// One method's run in a race.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// The method.
    pub method: MethodSettings,
    /// What it found.
    pub fit: Fit,
}

/// Runs each method on `samples` with the limits, order and seed of `settings`.
///
/// A cancelled race ends with the method that was running. Errors as [`fit`](crate::online::fit) does.
///
/// ```
/// use linsep::{Samples, online::{FitSettings, MethodSettings}, race::race};
///
/// let samples = Samples::dense(vec![100.0, 101.0], 1, vec![false, true])?;
/// let methods: Vec<_> =
///     ["fine", "perceptron"].iter().filter_map(|name| MethodSettings::by_name(name)).collect();
/// let settings = FitSettings { max_epochs: 100_000, ..FitSettings::default() };
/// let entrants = race(&samples, &methods, &settings, &mut ())?;
/// assert_eq!(entrants[0].fit.updates, 1);
/// assert!(entrants[1].fit.epochs > 20_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn race(
    samples: &Samples,
    methods: &[MethodSettings],
    settings: &FitSettings,
    watch: &mut dyn Watch,
) -> Result<Vec<Entrant>, FitError> {
    race_data(&Memory::new(samples), methods, settings, watch)
}

/// Runs each method on the same rows, wherever they are. Errors as [`fit_data`] does.
pub fn race_data(
    data: &dyn Data,
    methods: &[MethodSettings],
    settings: &FitSettings,
    watch: &mut dyn Watch,
) -> Result<Vec<Entrant>, FitError> {
    let mut entrants = vec![];
    for method in methods {
        watch.stage(&Stage::Fitting { what: method.name().to_string() });
        let settings = FitSettings { method: method.clone(), ..settings.clone() };
        let fit = fit_data(data, &settings, watch, None)?;
        let cancelled = fit.stop == Stop::Cancelled;
        entrants.push(Entrant { method: method.clone(), fit });
        if cancelled {
            break;
        }
    }
    Ok(entrants)
}
