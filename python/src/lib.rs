//! The native half of the Python package `linsep`; private, re-exported by `linsep/__init__.py`.
//!
//! In reading order: [`data`] reads arrays in place, [`table`] opens files, [`cluster`] reaches
//! rows on other machines, [`work`] runs Rust beside the
//! interpreter, [`errors`] is the one map from Rust errors to Python exceptions, [`hints`] says what to do
//! about them, and [`decide`], [`classes`], [`audit`], [`fit`], [`separation`] and [`verify`] are the calls. What they return is
//! plain: dictionaries of numbers, strings and arrays.

mod audit;
mod classes;
mod cluster;
mod data;
mod decide;
mod errors;
mod fit;
mod hints;
mod output;
mod page;
mod separation;
mod table;
mod verify;
mod work;

use pyo3::prelude::*;

/// The native module of linsep.
#[pymodule]
mod _linsep {
    #[pymodule_export]
    use super::audit::audit_rows;
    #[pymodule_export]
    use super::classes::{argmax, margin_at_least};
    #[pymodule_export]
    use super::cluster::{Cluster, Packer, Worker, merge, numbers_check, packed_key, pick, scores};
    #[pymodule_export]
    use super::data::address;
    #[pymodule_export]
    use super::decide::{check_checkpoint, check_limits, compromise, decide};
    #[pymodule_export]
    use super::fit::{fit, methods, soft_margin, sorted_by_class};
    #[pymodule_export]
    use super::output::{refuse_overwriting, write_file};
    #[pymodule_export]
    use super::page::{Decided, drawn_plane, page, picture};
    #[pymodule_export]
    use super::separation::{
        categories, events, in_common, kept, model_separation, separation, structure_vectors,
        trials, verify_separation,
    };
    #[pymodule_export]
    use super::table::{Rows, open_table};
    #[pymodule_export]
    use super::verify::{read_proof, verify};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::work::remember_process()?;
        module.add("SOFT_MARGIN_FEATURES", linsep::soft_margin::MOST_FEATURES)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
