//! Arrays of NumPy and SciPy, read in place; and what a call is about, arrays or an opened table.

use std::ops::ControlFlow;
use std::sync::Arc;

use linsep::Samples;
use linsep::ask::AskError;
use linsep::data::error::Column;
use linsep::data::samples::{
    About, Classes, Dense, LabelNames, Labels, Lent, Missing, RowIds, Sparse,
};
use linsep::data::{Absorb, Block, Data, Error, ErrorKind, Features, Memory, Reads, Shape};
use numpy::{
    Element, PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::cluster::PyCluster;
use crate::errors::PyFailure;
use crate::table::{OpenedTable, PyRows};
use crate::work::Wire;

/// The memory of an array, and a reference that keeps it alive.
struct BorrowedArray<T> {
    _owner: Py<PyAny>,
    pointer: *const T,
    length: usize,
}

// SAFETY: the pointer is only read from, and the owner is only dropped.
unsafe impl<T: Sync> Send for BorrowedArray<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for BorrowedArray<T> {}

impl<T> AsRef<[T]> for BorrowedArray<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: `new` saw an aligned, contiguous array of this many initialised values, and the
        // owner keeps NumPy from freeing or resizing it while it is referenced. That no other thread
        // writes to it meanwhile is asked of the caller, as NumPy itself asks it; a value that
        // changes all the same is a wrong number, and every index made from one is checked.
        unsafe { std::slice::from_raw_parts(self.pointer, self.length) }
    }
}

/// Signed indices seen as unsigned ones: a negative one becomes too large, and is refused.
struct Indices(BorrowedArray<i32>);

impl AsRef<[u32]> for Indices {
    fn as_ref(&self) -> &[u32] {
        bytemuck::cast_slice(self.0.as_ref())
    }
}

impl<T: Element> BorrowedArray<T> {
    fn new<D: numpy::ndarray::Dimension>(array: &Bound<'_, PyArray<T, D>>) -> PyResult<Self> {
        let pointer = array.data().cast_const();
        if !array.is_c_contiguous() || !pointer.is_aligned() {
            return Err(PyTypeError::new_err("expected an aligned, C-contiguous array"));
        }
        let owner = array.clone().into_any().unbind();
        Ok(BorrowedArray { _owner: owner, pointer, length: array.len() })
    }
}

/// The features of a call. A clone of shared features stays with the calling thread, so that the
/// references are given back where the interpreter is attached.
#[derive(Clone)]
pub struct SharedMatrix(Features);

impl SharedMatrix {
    /// Returns the matrix of a dense array, or of `(indptr, indices, data, columns)`.
    pub fn new(x: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(array) = x.cast::<PyArray2<f64>>() {
            return Ok(SharedMatrix(Features::Dense64(dense(array)?)));
        }
        if let Ok(array) = x.cast::<PyArray2<f32>>() {
            return Ok(SharedMatrix(Features::Dense32(dense(array)?)));
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
        let indices: Lent<u32> = Arc::new(Indices(BorrowedArray::new(&indices)?));
        let values: Lent<f64> = Arc::new(BorrowedArray::new(&values)?);
        let sparse = Sparse::lent(offsets, indices, values, columns)
            .map_err(|fault| PyFailure::from(Error::from(ErrorKind::Sparse(fault))))?;
        Ok(SharedMatrix(Features::Sparse(sparse)))
    }

    /// Returns the features. Costs one parallel pass.
    ///
    /// Errors if a value is not finite. Models that absorb levels need no column.
    pub fn finite(&self) -> Result<&Features, Error> {
        if self.0.columns() > 0 {
            self.samples(vec![true; self.0.rows()], true)?;
        }
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

/// Arrays with all that is known of them: classes, names of columns, names of rows.
#[pyclass(frozen, module = "linsep._linsep")]
pub struct Arrays {
    matrix: SharedMatrix,
    /// The class of each row; none for a design, which has no labels.
    codes: Option<Vec<u32>>,
    classes: Vec<String>,
    columns: Option<Vec<String>>,
    /// Returns the names of rows, if they have any.
    names: Option<Py<PyAny>>,
}

#[pymethods]
impl Arrays {
    #[new]
    #[pyo3(signature = (x, codes=None, classes=vec![], *, columns=None, names=None))]
    fn new(
        x: &Bound<'_, PyAny>,
        codes: Option<PyReadonlyArray1<'_, u32>>,
        classes: Vec<String>,
        columns: Option<Vec<String>>,
        names: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let codes = codes.map(|codes| codes.as_slice().map(<[u32]>::to_vec)).transpose()?;
        if codes.iter().flatten().any(|&code| code as usize >= classes.len()) {
            return Err(PyTypeError::new_err("expected a name for each class"));
        }
        Ok(Arrays { matrix: SharedMatrix::new(x)?, codes, classes, columns, names })
    }
}

impl Arrays {
    /// Returns the error with the name of the column, if it has one.
    fn named(&self, mut error: Error) -> Error {
        if let (Some(Column::Number(number)), Some(names)) = (&error.place.column, &self.columns)
            && let Some(name) = names.get(number - 1)
        {
            error.place.column = Some(Column::Name(name.clone()));
        }
        error
    }

    fn about(&self, label_names: LabelNames) -> Arc<About> {
        Arc::new(About { label_names, feature_names: self.columns.clone(), ..About::default() })
    }

    /// Returns the rows of two classes. Costs one parallel pass. Errors if they cannot be used.
    fn two(&self) -> Result<Samples, Error> {
        let positive = self.codes.iter().flatten().map(|&code| code == 1).collect();
        let samples = self.matrix.samples(positive, false).map_err(|error| self.named(error))?;
        let name = |class: usize| self.classes.get(class).cloned().unwrap_or_default();
        Ok(samples.with_about(self.about(LabelNames { negative: name(0), positive: name(1) })))
    }

    /// Returns the rows of any number of classes, and these. Costs one parallel pass.
    ///
    /// Errors if they cannot be used.
    fn many(&self) -> Result<(Samples, Classes), Error> {
        let codes = self.codes.clone().unwrap_or_default();
        let samples = self.matrix.samples(vec![true; codes.len()], true);
        let samples = samples.map_err(|error| self.named(error))?;
        let samples = samples.with_about(self.about(LabelNames::default()));
        Ok((samples, Classes::of(self.classes.clone(), codes)))
    }

    /// Returns the features, as a design. Costs one parallel pass. Errors if they cannot be used.
    pub fn features(&self) -> Result<&Features, Error> {
        self.matrix.finite().map_err(|error| self.named(error))
    }

    /// Returns the names of the columns.
    pub fn columns(&self) -> Option<Vec<String>> {
        self.columns.clone()
    }
}

/// Returns what rows are called, asked of the thread that called.
pub fn row_names(arrays: &Arc<Py<Arrays>>, wire: &Wire, rows: &[usize]) -> Option<Vec<String>> {
    arrays.get().names.as_ref()?;
    let (arrays, rows) = (arrays.clone(), rows.to_vec());
    wire.call(move |py| {
        let names = arrays.get().names.as_ref().map(|names| names.call1(py, (rows,)));
        names.transpose()?.map(|names| names.extract(py)).transpose()
    })
}

fn dense<T>(array: &Bound<'_, PyArray2<T>>) -> PyResult<Dense<T>>
where
    T: Element + linsep::data::samples::Element,
{
    let (rows, columns) = (array.shape()[0], array.shape()[1]);
    let values: Lent<T> = Arc::new(BorrowedArray::new(array)?);
    Dense::lent(values, rows, columns)
        .ok_or_else(|| PyTypeError::new_err("expected rows x columns values"))
}

/// Returns the labels: true where a row is positive.
pub fn labels(positive: &PyReadonlyArray1<'_, bool>) -> PyResult<Vec<bool>> {
    Ok(positive.as_slice()?.to_vec())
}

/// What a call is about. A clone stays with the calling thread, so that references are given back where the
/// interpreter is attached.
#[derive(Clone)]
pub enum Given {
    /// Arrays.
    Arrays(Arc<Py<Arrays>>),
    /// A table.
    Table(Arc<OpenedTable>),
    /// Rows of a cluster.
    Cluster(Arc<Py<PyCluster>>),
}

impl Given {
    /// Returns arrays, an opened table, or a cluster.
    pub fn new(x: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(arrays) = x.cast::<Arrays>() {
            return Ok(Given::Arrays(Arc::new(arrays.clone().unbind())));
        }
        if let Ok(cluster) = x.cast::<PyCluster>() {
            return Ok(Given::Cluster(Arc::new(cluster.clone().unbind())));
        }
        match x.cast::<PyRows>() {
            Ok(rows) => Ok(Given::Table(rows.get().0.clone())),
            Err(_) => Err(PyTypeError::new_err("expected arrays, a table or a cluster")),
        }
    }

    /// Returns what `work` makes of the rows. Errors if they are of no use, and as `work` does.
    pub fn show<T>(
        self,
        wire: &Wire,
        work: impl FnOnce(&dyn Data) -> Result<T, PyFailure>,
    ) -> Result<T, PyFailure> {
        match self {
            Given::Arrays(arrays) => {
                let samples = arrays.get().two()?;
                work(&Indexed { data: Memory::new(&samples), arrays: &arrays, wire })
            }
            Given::Table(table) => table.show(wire, work),
            Given::Cluster(cluster) => PyCluster::show(&cluster, wire, work),
        }
    }

    /// Returns how many classes there are.
    pub fn class_count(&self) -> usize {
        match self {
            Given::Arrays(arrays) => arrays.get().classes.len(),
            Given::Table(table) => table.class_count(),
            Given::Cluster(_) => 2,
        }
    }

    /// Returns the rows of any number of classes, and these. Errors if they do not fit in memory.
    pub fn many(&self, wire: &Wire) -> Result<(Samples, Classes), PyFailure> {
        match self {
            Given::Arrays(arrays) => {
                let (samples, classes) = arrays.get().many()?;
                let all: Vec<usize> = (0..samples.rows()).collect();
                let Some(names) = row_names(arrays, wire, &all) else {
                    return Ok((samples, classes));
                };
                let mut ids = RowIds::default();
                names.iter().for_each(|name| ids.push(name));
                Ok((samples.with_row_ids(ids), classes))
            }
            Given::Table(table) => table.many(),
            Given::Cluster(_) => Err(AskError::NeedsMemory("a question about many classes").into()),
        }
    }

    /// Returns arrays. Errors if it is something else.
    pub fn arrays(&self) -> Result<&Arc<Py<Arrays>>, PyFailure> {
        match self {
            Given::Arrays(arrays) => Ok(arrays),
            _ => Err(PyFailure::Setting("expected arrays or a frame".to_string())),
        }
    }
}

/// Rows in memory whose names Python has.
struct Indexed<'a> {
    data: Memory<'a>,
    arrays: &'a Arc<Py<Arrays>>,
    wire: &'a Wire,
}

impl Data for Indexed<'_> {
    fn shape(&self) -> Shape {
        self.data.shape()
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        self.data.pass(seen)
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        self.data.fetch(rows)
    }

    fn row_names(&self, rows: &[usize]) -> Result<Option<Vec<String>>, Error> {
        Ok(row_names(self.arrays, self.wire, rows))
    }

    fn in_order(
        &self,
        first: usize,
        see: &mut dyn FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.data.in_order(first, see)
    }

    fn resident(&self) -> Option<&Samples> {
        self.data.resident()
    }

    fn about(&self) -> &Arc<About> {
        self.data.about()
    }

    fn reads(&self) -> &Reads {
        self.data.reads()
    }
}

/// Returns where Rust reads the first value of the matrix: a test that it is where Python has it.
#[pyfunction]
pub fn address(x: &Bound<'_, PyAny>) -> PyResult<usize> {
    let SharedMatrix(features) = SharedMatrix::new(x)?;
    if features.rows() == 0 {
        return Err(PyValueError::new_err("expected at least one row, found none"));
    }
    Ok(match &features {
        Features::Dense64(matrix) => matrix.row(0).as_ptr() as usize,
        Features::Dense32(matrix) => matrix.row(0).as_ptr() as usize,
        Features::Sparse(matrix) => matrix.row(0).1.as_ptr() as usize,
    })
}
