//! Python bindings of [`crate::log`].

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::error::to_python;
use crate::log::gzip;

#[pyfunction]
fn gzip_member<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let member = py.detach(|| gzip::member(data)).map_err(to_python)?;
    Ok(PyBytes::new(py, &member))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(gzip_member, module)?)
}
