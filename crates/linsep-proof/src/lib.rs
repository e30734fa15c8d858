//! Proofs that labelled data is or is not linearly separable, and the checker that one has to trust.
//!
//! In reading order: [`proof`] says what is claimed and how it is written down, [`verify()`] checks
//! it against the raw rows, [`mod@definite`] shows that rows overlap, [`RemovalClaim`] how many of them must go, [`exact`] does the arithmetic without rounding, [`margin`] bounds margins,
//! and [`fingerprint()`] names the data. What looks at all rows is a [`FoldQuery`](linsep_data::FoldQuery), so
//! that proofs can be checked wherever the rows are. [`structure`] makes of the rows of a statistical model
//! those that decide whether its estimate exists. Nothing here knows of any solver, nor of the
//! vector kernels. PROOFS.md has the theorems.
#![forbid(unsafe_code)]

mod allowed;
pub mod definite;
mod evidence;
pub mod exact;
mod fingerprint;
pub mod look;
pub mod margin;
pub mod proof;
mod rank;
mod refused;
mod removal;
mod separator;
pub mod structure;
mod verify;

pub use dashu_int::IBig;
pub use evidence::{Conflict, MarginBounds, Overlap, Removals, RowWeights};
pub use fingerprint::{Fingerprint, FingerprintState, Named, fingerprint, name_data};
pub use margin::{margin_lower_bound, margin_upper_bound};
pub use proof::{MarginKind, Plane, Proof, ProofError, Verdict, WeightedRow};
pub use refused::Refused;
pub use removal::RemovalClaim;
pub use separator::{Separator, prove_separable};
pub use verify::{Verified, verify, verify_binomial, verify_data, verify_data_until, verify_model};
