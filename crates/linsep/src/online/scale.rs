//! Columns in other units while a method learns; the hyperplane is given back in those of the data.
//!
//! ```text
//! standard   x_k becomes (x_k - mean_k) / deviation_k, a constant column becomes zeros;
//!            sparse rows are only divided, so that they stay sparse
//! back       w_k = v_k / deviation_k,  b = v_b - sum w_k mean_k
//! ```
//!
//! The methods see the length of a row, so columns of very different size defeat them: the small ones hardly count.
//! What is separable in one of these units is so in the other, and what is said of the hyperplane is said of the data
//! as it is. Cost: three passes before the first epoch; a copy of rows in memory, nothing but time for rows elsewhere.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use linsep_data::samples::{About, Dense, SparseBuilder};
use linsep_data::{Absorb, Block, Data, Error, Features, Reads, Samples, Shape};
use serde::{Deserialize, Serialize};

use crate::Hyperplane;
use crate::standard::Standard;

/// In which units a method sees the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scaling {
    /// In their own: the paper's way.
    #[default]
    None,
    /// With mean 0 and deviation 1.
    Standard,
}

impl Scaling {
    /// Returns true if columns stay as they are.
    pub fn is_none(&self) -> bool {
        *self == Scaling::None
    }
}

/// The units of one data set.
pub(super) struct Units {
    standard: Standard,
}

impl Units {
    /// Returns the units of these rows. Costs three passes, in order.
    pub(super) fn of(data: &dyn Data) -> Result<Self, Error> {
        let standard = Standard::of_data(data)?;
        let standard = if data.shape().sparse { standard.uncentred() } else { standard };
        Ok(Units { standard })
    }

    /// Returns the hyperplane of w, the bias last, in the units of the data.
    pub(super) fn original(&self, w: &[f64]) -> Hyperplane {
        let plane = self.standard.original(w);
        let finite = |plane: &Hyperplane| plane.weights.iter().all(|w| w.is_finite());
        if finite(&plane) && plane.bias.is_finite() {
            return plane;
        }
        // Its length means nothing, so a short one will do where deviations are as small as numbers can be.
        let short: Vec<f64> = w.iter().map(|w| w * f64::MIN_POSITIVE).collect();
        self.standard.original(&short)
    }

    /// Returns the rows in these units.
    pub(super) fn scaled(&self, samples: &Samples) -> Result<Samples, Error> {
        let features = samples.features();
        let (rows, columns) = (features.rows(), features.columns());
        let scaled = match features {
            Features::Sparse(_) => {
                let mut builder = SparseBuilder::default();
                for i in 0..rows {
                    features.for_each(i, |k, v| builder.push(k, self.standard.value(k, v)));
                    builder.end_row();
                }
                Features::Sparse(builder.finish(columns).expect("columns as they were"))
            }
            _ => {
                let mut values = Vec::with_capacity(rows * columns);
                for i in 0..rows {
                    features.for_each(i, |k, v| values.push(self.standard.value(k, v)));
                }
                Features::Dense64(Dense::new(values, rows, columns))
            }
        };
        samples.with_features(scaled)
    }

    fn block(&self, block: &Block<'_>) -> Result<Samples, Error> {
        let rows: Vec<usize> = block.places().collect();
        let mut part = block.samples().part_of(&rows)?;
        if let Some(weights) = block.samples().weights() {
            part = part.with_weights(weights[block.places()].to_vec())?;
        }
        self.scaled(&part)
    }
}

/// Rows that are elsewhere, in other units.
pub(super) struct ScaledData<'a> {
    pub(super) data: &'a dyn Data,
    pub(super) units: &'a Units,
}

/// Hands blocks on in other units, and keeps the first error.
struct ScaledAbsorb<'a> {
    seen: &'a dyn Absorb,
    units: &'a Units,
    failure: Mutex<Option<Error>>,
}

impl Absorb for ScaledAbsorb<'_> {
    fn absorb(&self, block: &Block<'_>) {
        match self.units.block(block) {
            Ok(scaled) => self.seen.absorb(&Block::whole(&scaled, first_row(block))),
            Err(error) => {
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert(error);
            }
        }
    }
}

/// Returns the number of the first row of a block.
fn first_row(block: &Block<'_>) -> usize {
    block.number(block.places().start)
}

impl Data for ScaledData<'_> {
    fn shape(&self) -> Shape {
        self.data.shape()
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        let scaled = ScaledAbsorb { seen, units: self.units, failure: Mutex::new(None) };
        self.data.pass(&scaled)?;
        match scaled.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        self.units.scaled(&self.data.fetch(rows)?)
    }

    fn row_names(&self, rows: &[usize]) -> Result<Option<Vec<String>>, Error> {
        self.data.row_names(rows)
    }

    fn in_order(
        &self,
        first: usize,
        see: &mut dyn FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let mut failure = None;
        self.data.in_order(first, &mut |block| match self.units.block(block) {
            Ok(scaled) => see(&Block::whole(&scaled, first_row(block))),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        })?;
        failure.map_or(Ok(()), Err)
    }

    fn resident(&self) -> Option<&Samples> {
        None
    }

    fn about(&self) -> &Arc<About> {
        self.data.about()
    }

    fn reads(&self) -> &Reads {
        self.data.reads()
    }
}
