//! Python bindings of [`crate::log`].

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::error::to_python;
use crate::error::Result;
use crate::log::gzip;
use crate::log::layouts::{Field, Layouts};

#[pyfunction]
fn gzip_member<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let member = py.detach(|| gzip::member(data)).map_err(to_python)?;
    Ok(PyBytes::new(py, &member))
}

#[pyclass(frozen, module = "hondius._native")]
struct EventLayouts(Layouts);

#[pymethods]
impl EventLayouts {
    #[new]
    #[allow(clippy::type_complexity)] // as the stub says it
    fn new(events: Vec<(String, Vec<(Vec<String>, Vec<String>)>)>) -> PyResult<Self> {
        let events = events.into_iter().map(|(tag, fields)| {
            let fields = fields
                .into_iter()
                .map(|(kinds, words)| Field::new(kinds.iter().map(String::as_str), words));
            Ok((tag, fields.collect::<Result<_>>()?))
        });
        let events: Result<Vec<_>> = events.collect();
        Ok(EventLayouts(Layouts::new(events.map_err(to_python)?)))
    }

    fn matches(&self, py: Python<'_>, payload: &[u8]) -> bool {
        py.detach(|| self.0.matches(payload))
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<EventLayouts>()?;
    module.add_function(wrap_pyfunction!(gzip_member, module)?)
}
