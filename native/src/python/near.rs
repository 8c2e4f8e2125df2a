//! Python bindings of [`crate::near`].

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::error::to_python;
use crate::error::Error;
use crate::near::sketch::{self, Sketch};
use crate::near::{self, Found, Key, Place};

#[pyclass(frozen, module = "hondius._native")]
pub struct NearIndex(near::NearIndex);

#[pymethods]
impl NearIndex {
    #[new]
    #[pyo3(signature = (directory=None, *, least))]
    fn new(py: Python<'_>, directory: Option<PathBuf>, least: u32) -> PyResult<Self> {
        let place = directory.map_or(Place::Memory, Place::Directory);
        let opened = py.detach(|| near::NearIndex::open(place, least));
        opened.map(NearIndex).map_err(to_python)
    }

    #[getter]
    fn log(&self) -> u64 {
        self.0.log()
    }

    #[getter]
    fn sequences(&self) -> Vec<u64> {
        self.0.sequences()
    }

    #[getter]
    fn pages(&self) -> u32 {
        self.0.pages()
    }

    #[getter]
    fn sizes(&self) -> (u64, u64) {
        self.0.sizes()
    }

    fn find<'py>(
        &self,
        py: Python<'py>,
        key: PyBackedBytes,
        sketch: PyBackedBytes,
    ) -> PyResult<(bool, Option<Bound<'py, PyBytes>>, u32)> {
        let (key, sketch) = (key_of(&key)?, sketch_of(&sketch)?);
        let found = py
            .detach(|| self.0.find(&key, &sketch))
            .map_err(to_python)?;
        Ok(match found {
            Found::New => (true, None, 0),
            Found::Itself => (false, None, 0),
            Found::Copy { of, equal } => (false, Some(PyBytes::new(py, &of)), equal),
        })
    }

    fn remember(&self, key: PyBackedBytes, sketch: PyBackedBytes) -> PyResult<()> {
        self.0.remember(key_of(&key)?, sketch_of(&sketch)?);
        Ok(())
    }

    fn forget(&self, key: PyBackedBytes) -> PyResult<()> {
        self.0.forget(&key_of(&key)?);
        Ok(())
    }

    fn forget_all(&self) {
        self.0.forget_all();
    }

    #[pyo3(signature = (log, partition, sequence, pages))]
    fn apply(
        &self,
        py: Python<'_>,
        log: u64,
        partition: u16,
        sequence: u64,
        pages: Vec<(PyBackedBytes, PyBackedBytes)>,
    ) -> PyResult<()> {
        let pages = pages
            .iter()
            .map(|(key, sketch)| Ok((key_of(key)?, sketch_of(sketch)?)))
            .collect::<PyResult<Vec<_>>>()?;
        py.detach(|| self.0.apply(log, usize::from(partition), sequence, &pages))
            .map_err(to_python)
    }

    fn damages(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.detach(|| self.0.list_damages()).map_err(to_python)
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.close()).map_err(to_python)
    }
}

/// How many of the 64 bins of two sketches are equal.
#[pyfunction]
fn count_equal_bins(one: PyBackedBytes, other: PyBackedBytes) -> PyResult<u32> {
    Ok(sketch::equal_bins(&sketch_of(&one)?, &sketch_of(&other)?))
}

fn key_of(bytes: &[u8]) -> PyResult<Key> {
    bytes.try_into().map_err(|_| invalid("a key has 16 bytes"))
}

fn sketch_of(bytes: &[u8]) -> PyResult<Sketch> {
    bytes
        .try_into()
        .map_err(|_| invalid("a sketch has 76 bytes"))
}

fn invalid(what: &str) -> PyErr {
    to_python(Error::Invalid(what.into()))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<NearIndex>()?;
    module.add_function(wrap_pyfunction!(count_equal_bins, module)?)
}
