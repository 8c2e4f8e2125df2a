//! Python bindings of [`crate::memory`].

use pyo3::prelude::*;

#[pyfunction]
fn give_large_blocks_back() {
    crate::memory::give_large_blocks_back();
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(give_large_blocks_back, module)?)
}
