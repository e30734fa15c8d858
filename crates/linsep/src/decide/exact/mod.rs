//! Exact linear algebra for [`super::conflict`]: integer equations from raw rows, elimination
//! modulo a prime, p-adic lifting, and fractions from residues.

pub(super) mod equations;
pub(super) mod lifting;
pub(super) mod modular;
pub mod reconstruct;
