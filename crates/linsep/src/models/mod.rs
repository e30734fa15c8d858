//! Separation in statistical models: does the maximum likelihood estimate exist?
//!
//! The likelihood grows, and never falls again, along the directions g with v·g >= 0 for certain vectors
//! v that the model makes of its observations, its [structure vectors](Structure). For a binomial model these are x
//! where the outcome is a success, and -x where it is none. There are three cases (Albert and Anderson, 1984):
//!
//! ```text
//! complete        some direction has v·g > 0 for all vectors
//! quasi-complete  none has, but some has v·g > 0 for at least one
//! overlap         neither: the estimate exists
//! ```
//!
//! In reading order: `separation` is the question and the answer, `question` puts it to the deciding engine, `cone` finds
//! the vectors on which all directions vanish, `allowed` whether a log-binomial model has any coefficients at all, `space` is what is orthogonal
//! to them, and `signs`, with the help of `nnls` and `enclosed`, tells where coefficients run to. `absorbed` is the same for factors of many
//! levels. `response` reads what stands beside the design, `common` says what rows have in common. The vectors are made on the fly by the checker's own code; rows of a binomial model
//! stay wherever they are.

mod absorbed;
mod allowance;
mod allowed;
mod common;
mod cone;
mod enclosed;
mod observed;
mod question;
pub mod response;
mod separation;
mod signs;
mod space;

pub use absorbed::{Factor, FactorLevels, absorbed_design, check_absorbed};
pub use common::{InCommon, Relation, in_common};
pub use linsep_proof::structure::{
    Coefficient, Model, ModelError, Response, Structure, Ties, Trial, Vector,
};
pub(crate) use observed::share_among;
pub use observed::{
    Family, Observed, ObservedCells, ObservedColumn, ObservedColumns, ObservedError, Reading,
};
pub use separation::{
    Open, Separation, SeparationError, SeparationKind, SeparationOptions, Sign, check_model,
    check_recession, check_separation, check_separation_data,
};
