//! Rows on the machines of a cluster. There, [`Packer`] makes packed rows of Arrow batches, [`Worker`] answers
//! what a pass asks for, [`merge`] puts answers together and [`pick`] hands over single rows. Here, [`PyCluster`]
//! has the functions that send a request to all of them. Nothing in it knows which cluster it is.

mod arrow;
mod packed;
mod packer;

use std::collections::HashMap;
use std::sync::Arc;

use linsep::ask::AskError;
use linsep::data::hash::mix;
use linsep::data::read::batch_features;
use linsep::data::samples::{About, LabelNames, Labels, Missing};
use linsep::data::{Data, Error, ErrorKind, Samples, Shape};
use linsep::decide::remote::rows::{Gathered, Runs};
use linsep::decide::remote::{self, Remote, answer};
use linsep::kernels::RowArithmetic;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::PyFailure;
use crate::work::Wire;
use packed::PackedBatch;
pub use packer::Packer;

/// Bytes of rows that are looked at together: few enough to stay in the cache, but many times what has been found,
/// so that merging it costs little; and never many beside memory.
const CHUNK_BYTES: usize = 1 << 21;
const CHUNK_TIMES_FOUND: usize = 64;
const MOST_CHUNK_BYTES: usize = 1 << 26;

/// Answers a request with the rows that it is shown.
#[pyclass(module = "linsep._linsep")]
pub struct Worker {
    request: Vec<u8>,
    offsets: Option<Vec<usize>>,
    sparse: bool,
    rows: Gathered,
    stamp: u64,
    found: Option<Vec<u8>>,
    /// A task of a cluster has a core of its own, and others have theirs.
    pool: ThreadPool,
}

#[pymethods]
impl Worker {
    /// Returns the worker for a request. `offsets`: the number of the first row of each partition, where packed
    /// rows count from there; `sparse`: whether any rows are sparse.
    #[new]
    #[pyo3(signature = (request, *, sparse, offsets=None))]
    fn new(request: Vec<u8>, sparse: bool, offsets: Option<Vec<usize>>) -> PyResult<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let rows = Gathered::new(sparse);
        Ok(Worker { request, offsets, sparse, rows, stamp: 0, found: None, pool })
    }

    /// Looks at packed rows.
    fn add(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batch = PackedBatch::new(arrow::import(batch)?)?;
        py.detach(|| {
            for k in 0..batch.len() {
                batch.add_to(&mut self.rows, k, self.offsets.as_deref(), |_| true)?;
                self.stamp = self.stamp.wrapping_add(batch.stamp(k));
                if self.rows.bytes() >= self.enough() {
                    self.answer()?;
                }
            }
            Ok(())
        })
    }

    /// Returns what was found, or None if there were no rows.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        py.detach(|| self.answer())?;
        Ok(self.found.take().map(|found| PyBytes::new(py, &found)))
    }
}

impl Worker {
    /// Returns how many bytes of rows are worth looking at.
    fn enough(&self) -> usize {
        let found = self.found.as_ref().map_or(0, Vec::len);
        (CHUNK_TIMES_FOUND * found).clamp(CHUNK_BYTES, MOST_CHUNK_BYTES)
    }

    fn answer(&mut self) -> PyResult<()> {
        let rows = std::mem::replace(&mut self.rows, Gathered::new(self.sparse));
        if rows.is_empty() {
            return Ok(());
        }
        let stamp = std::mem::take(&mut self.stamp);
        let (request, before) = (&self.request, self.found.take());
        let found = self.pool.install(|| {
            let (samples, runs) = rows.samples().map_err(PyFailure::from)?;
            let found = answer(request, &runs.blocks(&samples), stamp).ok_or_else(misunderstood)?;
            match before {
                Some(before) => remote::merge(request, &before, &found).ok_or_else(misunderstood),
                None => Ok(found),
            }
        });
        self.found = Some(found?);
        Ok(())
    }
}

fn misunderstood() -> PyErr {
    PyRuntimeError::new_err(
        "a request was not understood: is the same version of linsep installed on all machines?",
    )
}

/// Returns what a request has found in the rows of all these answers together, or None if there are none.
#[pyfunction]
pub fn merge<'py>(
    py: Python<'py>,
    request: &[u8],
    answers: Vec<Bound<'py, PyBytes>>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let answers: Vec<&[u8]> = answers.iter().map(|answer| answer.as_bytes()).collect();
    let all = merged(request, &answers)?;
    Ok(all.map(|found| PyBytes::new(py, &found)))
}

fn merged(request: &[u8], answers: &[&[u8]]) -> PyResult<Option<Vec<u8>>> {
    let Some((first, rest)) = answers.split_first() else { return Ok(None) };
    let all = rest.iter().try_fold(first.to_vec(), |all, one| remote::merge(request, &all, one));
    all.map(Some).ok_or_else(misunderstood)
}

/// Returns those of the packed rows that are wanted, packed: their numbers, and themselves.
#[pyfunction]
#[pyo3(signature = (batch, wanted, *, sparse, offsets=None))]
pub fn pick<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    wanted: PyReadonlyArray1<'py, i64>,
    sparse: bool,
    offsets: Option<Vec<usize>>,
) -> PyResult<Option<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)>> {
    let batch = PackedBatch::new(arrow::import(batch)?)?;
    let wanted = wanted.as_slice()?;
    let mut rows = Gathered::new(sparse);
    for k in 0..batch.len() {
        let is_wanted = |number: usize| wanted.binary_search(&(number as i64)).is_ok();
        batch.add_to(&mut rows, k, offsets.as_deref(), is_wanted)?;
    }
    if rows.is_empty() {
        return Ok(None);
    }
    let (packed, numbers) = rows.pack().map_err(PyFailure::from)?;
    Ok(Some((PyBytes::new(py, &numbers.to_bytes()), PyBytes::new(py, &packed))))
}

/// Returns a number that tells the rows 0 .. rows apart from any other rows, or some of them twice.
#[pyfunction]
pub fn numbers_check(py: Python<'_>, rows: u64) -> i64 {
    let sum = py.detach(|| (0..rows).into_par_iter().map(mix).reduce(|| 0, u64::wrapping_add));
    sum.cast_signed()
}

/// Returns the key of the packed rows that hold a row, from their partition and how many packed rows are before
/// it there.
#[pyfunction]
pub fn packed_key(partition: i32, place: i64) -> i64 {
    packed::key(partition, place)
}

/// Returns coef·x + intercept for each row x of a batch; `lengths` has the number of features of each column.
#[pyfunction]
pub fn scores<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    lengths: Vec<usize>,
    coef: PyReadonlyArray1<'py, f64>,
    intercept: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let batch = arrow::import(batch)?;
    if batch.num_rows() == 0 {
        return Ok(PyArray1::from_slice(py, &[]));
    }
    let features = batch_features(&batch, &lengths).map_err(PyFailure::from)?;
    let labels = Labels { positive: vec![true; features.rows()], names: LabelNames::default() };
    // Finds what is not finite.
    let samples = Samples::part(features, labels, Missing::Refuse).map_err(PyFailure::from)?;
    let coef = coef.as_slice()?;
    if coef.len() != samples.columns() {
        return Err(damaged());
    }
    let score = |i: usize| samples.features().dot(i, coef) + intercept;
    Ok(PyArray1::from_iter(py, (0..samples.rows()).map(score)))
}

/// Machines that hold rows, as functions that ask all of them.
#[pyclass(frozen, name = "Cluster", module = "linsep._linsep")]
pub struct PyCluster {
    ask: Py<PyAny>,
    fetch: Py<PyAny>,
    shape: Shape,
    /// The stamp of all rows, where they have been seen before.
    stamp: Option<u64>,
    about: Arc<About>,
}

#[pymethods]
impl PyCluster {
    /// Returns the cluster. `ask` takes a request and returns answers; `fetch` takes the numbers of rows and
    /// returns what [`pick`] does, both for all machines.
    #[new]
    #[pyo3(signature = (ask, fetch, *, rows, features, sparse, stamp=None, classes=None, columns=None))]
    #[expect(clippy::too_many_arguments, reason = "all that is known of the rows, by name")]
    fn new(
        ask: Py<PyAny>,
        fetch: Py<PyAny>,
        rows: usize,
        features: usize,
        sparse: bool,
        stamp: Option<u64>,
        classes: Option<(String, String)>,
        columns: Option<Vec<String>>,
    ) -> Self {
        let (negative, positive) = classes.unwrap_or_default();
        let label_names = LabelNames { negative, positive };
        let about = About { label_names, feature_names: columns, ..About::default() };
        let shape = Shape { rows, columns: features, sparse };
        PyCluster { ask, fetch, shape, stamp, about: about.into() }
    }
}

impl PyCluster {
    /// Returns what `work` makes of the rows of a cluster.
    pub fn show<T>(
        cluster: &Arc<Py<PyCluster>>,
        wire: &Wire,
        work: impl FnOnce(&dyn Data) -> Result<T, PyFailure>,
    ) -> Result<T, PyFailure> {
        let PyCluster { shape, stamp, about, .. } = cluster.get();
        let calling = Calling { cluster, wire };
        let remote = Remote::new(&calling, *shape, about.clone());
        let worked = work(&match stamp {
            Some(stamp) => remote.with_stamp(*stamp),
            None => remote,
        });
        worked.map_err(|failure| match failure {
            PyFailure::Ask(AskError::Data(Error { kind: ErrorKind::Changed, .. }), _) => {
                PyFailure::Moved
            }
            other => other,
        })
    }
}

/// The cluster as one call asks it: through the thread that has called.
struct Calling<'a> {
    cluster: &'a Arc<Py<PyCluster>>,
    wire: &'a Wire,
}

impl remote::Cluster for Calling<'_> {
    fn ask(&self, request: &[u8]) -> Result<Vec<u8>, Error> {
        let (cluster, request) = (self.cluster.clone(), request.to_vec());
        let found = self.wire.call(move |py| {
            let answers = cluster.get().ask.bind(py).call1((PyBytes::new(py, &request),))?;
            let answers: Vec<Bound<'_, PyBytes>> = answers.extract()?;
            let answers: Vec<&[u8]> = answers.iter().map(|answer| answer.as_bytes()).collect();
            merged(&request, &answers)
        });
        found.ok_or_else(|| ErrorKind::Changed.into())
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        let (cluster, wanted) = (self.cluster.clone(), rows.to_vec());
        let gathered = self.wire.call(move |py| {
            let numbers = PyArray1::from_iter(py, wanted.iter().map(|&row| row as i64));
            let parts = cluster.get().fetch.bind(py).call1((numbers,))?;
            let parts: Vec<(Bound<'_, PyBytes>, Bound<'_, PyBytes>)> = parts.extract()?;
            let mut all = Gathered::new(cluster.get().shape.sparse);
            for (numbers, packed) in &parts {
                let numbers = Runs::from_bytes(numbers.as_bytes()).ok_or_else(damaged)?;
                let added = all.push_packed(numbers.numbers(), packed.as_bytes(), |_| true);
                added.ok_or_else(damaged)?;
            }
            Ok(all)
        });
        if gathered.is_empty() {
            return Err(ErrorKind::Changed.into());
        }
        let (samples, runs) = gathered.samples()?;
        let places: HashMap<usize, usize> =
            runs.numbers().enumerate().map(|(place, number)| (number, place)).collect();
        let found = rows.iter().map(|row| places.get(row).copied()).collect::<Option<Vec<_>>>();
        samples.part_of(&found.ok_or(ErrorKind::Changed)?)
    }
}

/// Returns the error for packed rows that no packer has made.
fn damaged() -> PyErr {
    PyTypeError::new_err("these are no packed rows of this version of linsep")
}
