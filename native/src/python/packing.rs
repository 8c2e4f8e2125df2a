//! Python bindings of [`crate::packing`].

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::error::to_python;
use crate::packing;

#[pyfunction]
fn pack_text(py: Python<'_>, data: PyBackedBytes) -> PyResult<Bound<'_, PyBytes>> {
    let packed = py.detach(|| packing::pack(&data)).map_err(to_python)?;
    Ok(PyBytes::new(py, &packed))
}

#[pyfunction]
fn unpack_text(py: Python<'_>, data: PyBackedBytes, most: usize) -> Option<Bound<'_, PyBytes>> {
    let plain = py.detach(|| packing::unpack(&data, most))?;
    Some(PyBytes::new(py, &plain))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(pack_text, module)?)?;
    module.add_function(wrap_pyfunction!(unpack_text, module)?)
}
