//! linsep
fn main() {}
