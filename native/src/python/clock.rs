//! Python bindings of [`crate::clock`].

use pyo3::prelude::*;

#[pyfunction]
fn now() -> f64 {
    crate::clock::now()
}

/// Loading the module starts the clock of the process, so that the wall clock cannot be set between the first reads of
/// Python and of the engine.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    now();
    module.add_function(wrap_pyfunction!(now, module)?)
}
