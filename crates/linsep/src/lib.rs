//! linsep
