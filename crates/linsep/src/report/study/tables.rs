//! The tables of the study.
