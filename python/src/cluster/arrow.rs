//! Arrow batches from Python, read in place.

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::{RecordBatch, StructArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// Returns the batch that an object hands over by Arrow's own protocol, as those of pyarrow do.
pub fn import(batch: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let parts = batch.call_method0("__arrow_c_array__")?;
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = parts.extract()?;
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold these structures, alive for as long as `parts` is. The array is
    // moved out: the capsule keeps one without a release function, so it is freed once.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    let data = data.map_err(|error| PyTypeError::new_err(error.to_string()))?;
    Ok(RecordBatch::from(StructArray::from(data)))
}
