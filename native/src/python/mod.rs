//! The Python skin: one file a room, each with a `register(module)`.

use pyo3::prelude::*;

mod engine;
mod error;
mod fetched;
mod robots;
mod scope;
mod sitemap;
mod text;
mod url;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("DEBUG_BUILD", cfg!(debug_assertions))?;
    error::register(module)?;
    engine::register(module)?;
    fetched::register(module)?;
    robots::register(module)?;
    scope::register(module)?;
    sitemap::register(module)?;
    url::register(module)?;
    Ok(())
}
