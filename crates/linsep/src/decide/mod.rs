//! Deciding separability with a proof: what turns a set of conflicting rows into integers that
//! anyone can check.

pub mod conflict;
mod exact;
mod vertex;
