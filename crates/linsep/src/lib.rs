//! Can one hyperplane tell two classes apart?
//!
//! [`decide()`] answers, with a proof:
//!
//! ```
//! use linsep::Samples;
//! use linsep::ask::Reply;
//!
//! // 100 is negative, 101 is positive.
//! let samples = Samples::from_rows(&[[100.0], [101.0]], &[false, true])?;
//! let answer = linsep::decide(&samples)?;
//! assert_eq!(answer.reply(), Reply::Yes);
//! println!("{}", answer.to_json());
//! # Ok::<(), linsep::ask::AskError>(())
//! ```
//!
//! Three things are worth knowing first:
//!
//! - [`Samples`] are labelled rows; [`read()`] brings them in from a file. Rows that do not fit in memory are
//!   [`Data`](data::Data), which every question takes.
//! - [`ask`] has a question per kind: decide, classes, estimate, audit, fit, race and verify. A
//!   [`Question`](ask::Question) is plain and serialisable, and is checked before data is read.
//! - The [`Answer`](ask::Answer) owns all that can be shown, proof and costs included, and needs no data. The crate
//!   `linsep-report` makes text, pages and charts of it.
//!
//! Below that stand the engines: [`mod@decide`] for verdicts, [`online`] for the methods that learn row by row, among
//! them the paper's, [`models`] and [`classes`] for questions put to them, and [`proof`] for the checker.
//!
//! | word | meaning |
//! |---|---|
//! | lifted | a row as a point z = y (x, 1) / ‖(x, 1)‖ on the unit sphere; a separating w has w·z > 0 for all |
//! | conflict | rows with positive multipliers that cancel: no hyperplane puts all of them strictly on their own sides |
//! | face | the rows that lie on every weak separator: all if inseparable, none if separable |
//! | pass, fold | one read of all rows, and what it computes |
//!
//! ARCHITECTURE.md has the other words, and the floor plan.
//!
//! ## Features
//! - `columnar`: reads Parquet and Arrow files.
//! - `lp`: the rival method that solves a linear program, by Clarabel.
//! - `internals`: what benchmarks measure by itself; not part of the interface.

pub mod ask;
pub mod audit;
pub mod classes;
mod content;
pub mod cover;
pub mod data;
pub mod decide;
pub mod distances;
pub mod hyperplane;
pub mod kernels;
pub mod lift;
pub mod models;
pub mod online;
pub mod picture;
mod queries;
pub mod race;
pub mod saved;
pub mod soft_margin;
mod standard;
mod standardised;
pub mod watch;

pub use hyperplane::{Evaluation, Hyperplane, Margin};
pub use linsep_data::{Error, Samples};
pub use linsep_proof as proof;
pub use watch::Watch;

/// Returns the labelled rows of a file, with the defaults of the program: format, label column and categories are
/// guessed.
///
/// Errors if it cannot be read, with file, line and column.
///
/// ```
/// let path = std::env::temp_dir().join(format!("linsep-read-{}.csv", std::process::id()));
/// std::fs::write(&path, "height,label\n1.5,a\n2.5,b\n").unwrap();
/// let samples = linsep::read(&path)?;
/// assert_eq!((samples.rows(), samples.columns()), (2, 1));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), linsep::Error>(())
/// ```
pub fn read(path: impl AsRef<std::path::Path>) -> Result<Samples, Error> {
    let source = data::read::Source::from(path.as_ref());
    data::read::read(&source, &data::read::ReadOptions::default(), &|_rows| {})
}

/// Returns whether one hyperplane tells the two classes apart, with a proof. [`DecideQuestion`](ask::DecideQuestion)
/// has options.
///
/// Errors if there is no memory for the work.
pub fn decide(samples: &Samples) -> Result<ask::DecideAnswer, ask::AskError> {
    ask::DecideQuestion::default().ask(&data::Memory::new(samples), &mut ())
}

/// The Rust in the README is run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
