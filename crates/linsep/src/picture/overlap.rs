//! A hyperplane to draw among few features that none separates, from a sample whose columns have one deviation.
//!
//! The descent of `compromise` sees rows as they are, and where columns differ in size it ends far from the optimum. Here
//! columns are standardised, and Newton's method reaches the optimum of the soft margin, so the line is where people see
//! it should be. Cost: the sample is fetched, and one pass counts the mistakes on all rows.

use super::SAMPLE_ROWS;
use super::view::Sample;
use crate::data::Data;
use crate::decide::Compromise;
use crate::soft_margin::soft_margin;
use crate::standard::Standard;
use crate::{Error, Hyperplane, Samples};

/// Features up to which the steps take no time.
const FEW_FEATURES: usize = 32;
/// What a row that falls short of the margin costs.
const COST: f64 = 1.0;
/// Passes over the sample.
const PASSES: u64 = 60;

/// Returns the better of a compromise and what the sample suggests.
///
/// Errors if the rows cannot be read.
pub(super) fn better(data: &dyn Data, found: Compromise) -> Result<Hyperplane, Error> {
    let Some(sampled) = of_sample(data)? else { return Ok(found.hyperplane) };
    let fewer = sampled.evaluate_data(data)?.mistakes < found.mistakes;
    Ok(if fewer { sampled } else { found.hyperplane })
}

fn of_sample(data: &dyn Data) -> Result<Option<Hyperplane>, Error> {
    let columns = data.shape().columns;
    if columns > FEW_FEATURES {
        return Ok(None);
    }
    let sample = Sample::take(data, SAMPLE_ROWS)?.samples;
    let features = sample.features();
    let standard = Standard::of(features);
    let values = (0..features.rows()).flat_map(|i| standard.row(features, i)).collect();
    // All rows of the sample may be of one class.
    let Ok(scaled) = Samples::dense::<f64>(values, columns, sample.positive().to_vec()) else {
        return Ok(None);
    };
    let Hyperplane { weights: mut w, bias } =
        soft_margin(&scaled, COST, PASSES, &|| false).hyperplane;
    w.push(bias);
    let plane = standard.original(&w);
    let known = plane.weights.iter().chain([&plane.bias]).all(|value| value.is_finite());
    Ok(Some(plane).filter(|plane| known && plane.weight_norm() > 0.0))
}
