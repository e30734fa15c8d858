//! Arrays of NumPy and SciPy, read in place; and what a call is about, arrays or an opened table.

use std::sync::Arc;

use linsep::Samples;
use linsep::data::samples::{Dense, LabelNames, Labels, Lent, Missing, Sparse};
use linsep::data::{Data, Error, ErrorKind, Features, Memory};
use numpy::{
    Element, PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::cluster::Cluster;
use crate::errors::Failure;
use crate::table::{Rows, Table};
use crate::work::Wire;

/// The memory of an array, and a reference that keeps it alive.
struct Array<T> {
    _owner: Py<PyAny>,
    pointer: *const T,
    length: usize,
}

// SAFETY: the pointer is only read from, and the owner is only dropped.
unsafe impl<T: Sync> Send for Array<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Array<T> {}

impl<T> AsRef<[T]> for Array<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: `new` saw an aligned, contiguous array of this many initialised values, and the
        // owner keeps NumPy from freeing or resizing it while it is referenced. That no other thread
        // writes to it meanwhile is asked of the caller, as NumPy itself asks it; a value that
        // changes all the same is a wrong number, and every index made from one is checked.
        unsafe { std::slice::from_raw_parts(self.pointer, self.length) }
    }
}

/// Signed indices seen as unsigned ones: a negative one becomes too large, and is refused.
struct Indices(Array<i32>);

impl AsRef<[u32]> for Indices {
    fn as_ref(&self) -> &[u32] {
        bytemuck::cast_slice(self.0.as_ref())
    }
}

impl<T: Element> Array<T> {
    fn new<D: numpy::ndarray::Dimension>(array: &Bound<'_, PyArray<T, D>>) -> PyResult<Self> {
        let pointer = array.data().cast_const();
        if !array.is_c_contiguous() || !pointer.is_aligned() {
            return Err(PyTypeError::new_err("expected an aligned, C-contiguous array"));
        }
        let owner = array.clone().into_any().unbind();
        Ok(Array { _owner: owner, pointer, length: array.len() })
    }
}

/// The features of a call. A clone of what is lent stays with the calling thread, so that the
/// references are given back where the interpreter is attached.
#[derive(Clone)]
pub struct Matrix(Features);

impl Matrix {
    /// Returns the matrix of a dense array, or of `(indptr, indices, data, columns)`.
    pub fn new(x: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(array) = x.cast::<PyArray2<f64>>() {
            return Ok(Matrix(Features::Dense64(dense(array)?)));
        }
        if let Ok(array) = x.cast::<PyArray2<f32>>() {
            return Ok(Matrix(Features::Dense32(dense(array)?)));
        }
        type Parts<'py> = (
            Bound<'py, PyArray1<i64>>,
            Bound<'py, PyArray1<i32>>,
            Bound<'py, PyArray1<f64>>,
            usize,
        );
        let (offsets, indices, values, columns): Parts = x.extract().map_err(|_| {
            PyTypeError::new_err("expected a float array or the parts of a CSR one")
        })?;
        let offsets = offsets.try_readonly().map_err(|e| PyTypeError::new_err(e.to_string()))?;
        // A negative offset becomes one that is too large, and is refused.
        let offsets = offsets.as_slice()?.iter().map(|&o| o as usize).collect();
        let indices: Lent<u32> = Arc::new(Indices(Array::new(&indices)?));
        let values: Lent<f64> = Arc::new(Array::new(&values)?);
        let sparse = Sparse::lent(offsets, indices, values, columns)
            .map_err(|fault| Failure::from(Error::from(ErrorKind::Sparse(fault))))?;
        Ok(Matrix(Features::Sparse(sparse)))
    }

    /// Returns the features. Costs one parallel pass.
    ///
    /// Errors if there are none, or if a value is not finite.
    pub fn finite(&self) -> Result<&Features, Error> {
        self.samples(vec![true; self.0.rows()], true)?;
        Ok(&self.0)
    }

    /// Returns the samples of this matrix. Costs one parallel pass.
    pub fn samples(&self, labels: Vec<bool>, part: bool) -> Result<Samples, Error> {
        let labels = Labels { positive: labels, names: LabelNames::default() };
        match part {
            true => Samples::part(self.0.clone(), labels, Missing::Refuse),
            false => Samples::new(self.0.clone(), labels, Missing::Refuse),
        }
    }
}

fn dense<T>(array: &Bound<'_, PyArray2<T>>) -> PyResult<Dense<T>>
where
    T: Element + linsep::data::samples::Element,
{
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    let values: Lent<T> = Arc::new(Array::new(array)?);
    Dense::lent(values, rows, columns)
        .ok_or_else(|| PyTypeError::new_err("expected rows x columns values"))
}

/// Returns the labels: true where a row is positive.
pub fn labels(positive: &PyReadonlyArray1<'_, bool>) -> PyResult<Vec<bool>> {
    Ok(positive.as_slice()?.to_vec())
}

/// What a call is about. A clone stays with the calling thread; see [`Matrix`].
#[derive(Clone)]
pub enum Given {
    /// Features, and for every row whether it is positive.
    Arrays(Matrix, Vec<bool>),
    /// A table.
    Table(Arc<Table>),
    /// Rows of a cluster.
    Cluster(Arc<Py<Cluster>>),
}

impl Given {
    /// Returns arrays with their labels, or an opened table or a cluster, which have their own.
    pub fn new(
        x: &Bound<'_, PyAny>,
        positive: Option<&PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<Self> {
        if let (Ok(cluster), None) = (x.cast::<Cluster>(), positive) {
            return Ok(Given::Cluster(Arc::new(cluster.clone().unbind())));
        }
        match (x.cast::<Rows>(), positive) {
            (Ok(rows), None) => Ok(Given::Table(rows.get().0.clone())),
            (Err(_), Some(positive)) => Ok(Given::Arrays(Matrix::new(x)?, labels(positive)?)),
            _ => Err(PyTypeError::new_err("expected arrays with labels, or a table without")),
        }
    }

    /// Returns whether a column of the table names the rows.
    pub fn has_names(&self) -> bool {
        matches!(self, Given::Table(table) if table.has_names())
    }

    /// Returns what `work` makes of the rows. Errors if they are of no use, and as `work` does.
    pub fn show<T>(
        self,
        wire: &Wire,
        work: impl FnOnce(&dyn Data) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        match self {
            Given::Arrays(matrix, positive) => {
                work(&Memory::new(&matrix.samples(positive, false)?))
            }
            Given::Table(table) => table.show(wire, work),
            Given::Cluster(cluster) => Cluster::show(&cluster, wire, work),
        }
    }
}

/// Returns where Rust reads the first value of the matrix: a test that it is where Python has it.
#[pyfunction]
pub fn address(x: &Bound<'_, PyAny>) -> PyResult<usize> {
    let Matrix(features) = Matrix::new(x)?;
    if features.rows() == 0 {
        return Err(PyValueError::new_err("expected at least one row, found none"));
    }
    Ok(match &features {
        Features::Dense64(matrix) => matrix.row(0).as_ptr() as usize,
        Features::Dense32(matrix) => matrix.row(0).as_ptr() as usize,
        Features::Sparse(matrix) => matrix.row(0).1.as_ptr() as usize,
    })
}
