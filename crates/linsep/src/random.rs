//! A fixed sequence of random-looking numbers, for choices that must not depend on the machine.

pub(crate) use linsep_data::hash::draw;
