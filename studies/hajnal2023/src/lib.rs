//! Hajnal's fine approximation of the Perceptron, measured: the paper's three experiments and the study of them.
//!
//! [`experiments`] runs them, [`report`] makes files, tables and an article of what was measured, [`sweep`] draws how
//! epochs depend on a number that the paper leaves open, and [`page`](mod@page) shows all of it as one HTML file.

pub mod experiments;
pub mod page;
pub mod report;
pub mod sweep;
