//! Separation in statistical models: does the maximum likelihood estimate exist?
//!
//! The likelihood grows, and never falls again, along the directions g with v·g >= 0 for certain vectors
//! v that the model makes of its observations. For a binomial model these are x where the outcome is a
//! success, and -x where it is none. There are three cases (Albert and Anderson, 1984):
//!
//! ```text
//! complete        some direction has v·g > 0 for all observations
//! quasi-complete  none has, but some has v·g > 0 for at least one
//! overlap         neither: the estimate exists
//! ```
//!
//! In reading order: `separation` is the question and the answer, `cone` asks the deciding engine about
//! directions. The rows that the engine is shown are made on the fly, wherever they are
//! (`decide/mirrored.rs`).

mod cone;
mod separation;

pub use separation::{
    Separation, SeparationKind, SeparationOptions, Sign, check_separation, check_separation_data,
};
