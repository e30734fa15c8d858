//! The native half of the Python package `linsep`; private, re-exported by `linsep/__init__.py`.
//!
//! In reading order: [`data`] reads arrays in place, [`table`] opens files, [`cluster`] reaches
//! rows on other machines, [`work`] runs Rust beside the
//! interpreter, [`errors`] is the one map from Rust errors to Python exceptions, [`voice`] spells
//! what to do about them, [`answer`] holds answers, and [`decide`], [`classes`], [`audit`], [`fit`], [`separation`] and [`verify`] are the calls. What they return is
//! plain: dictionaries of numbers, strings and arrays.

mod answer;
mod audit;
mod classes;
mod cluster;
mod data;
mod decide;
mod errors;
mod fit;
mod output;
mod page;
mod separation;
mod table;
mod trace;
mod verify;
mod voice;
mod work;

use pyo3::prelude::*;

/// The native module of linsep.
#[pymodule]
mod _linsep {
    #[pymodule_export]
    use super::answer::{PyAnswer, ask, validate, values};
    #[pymodule_export]
    use super::audit::audit_csv;
    #[pymodule_export]
    use super::classes::save_proofs;
    #[pymodule_export]
    use super::cluster::{
        Packer, PyCluster, Worker, merge, numbers_check, packed_key, pick, scores,
    };
    #[pymodule_export]
    use super::data::{Arrays, address};
    #[pymodule_export]
    use super::decide::compromise;
    #[pymodule_export]
    use super::fit::{fit, method, methods, model_file, soft_margin};
    #[pymodule_export]
    use super::output::{refuse_overwriting, write_file};
    #[pymodule_export]
    use super::page::picture;
    #[pymodule_export]
    use super::separation::{
        estimate_model, estimate_table, recession, structure_vectors, verify_model, verify_table,
    };
    #[pymodule_export]
    use super::table::{PyRows, open_table};
    #[pymodule_export]
    use super::trace::{trace_file, trace_frames};
    #[pymodule_export]
    use super::verify::{read_proof, verify, verify_folder};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::work::remember_process()?;
        linsep::data::read::hush_decoders();
        module.add("SOFT_MARGIN_FEATURES", linsep::soft_margin::MOST_FEATURES)?;
        module.add("TRACE_STEPS", linsep::online::trace::USUAL_STEPS)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
