//! Python bindings of [`crate::clock`].

use pyo3::prelude::*;

#[pyfunction]
fn now() -> f64 {
    crate::clock::now()
}

/// Loading the module begins the process's time: nobody can set the clock between Python's first
/// look at it and the engine's.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    now();
    module.add_function(wrap_pyfunction!(now, module)?)
}
