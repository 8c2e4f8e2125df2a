//! The Python bindings: one file per module, each with a `register(module)`.

use pyo3::prelude::*;

mod clock;
mod engine;
mod error;
mod extraction;
mod fetched;
mod field_rules;
mod guard;
mod imported;
mod links;
mod log;
mod memory;
mod near;
mod packing;
mod page;
mod rank;
mod rehearsal;
mod rewriting;
mod robots;
mod scope;
mod sitemap;
mod text;
mod url;
mod url_store;
mod warc;
mod words;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("DEBUG_BUILD", cfg!(debug_assertions))?;
    error::register(module)?;
    clock::register(module)?;
    engine::register(module)?;
    extraction::register(module)?;
    fetched::register(module)?;
    field_rules::register(module)?;
    guard::register(module)?;
    imported::register(module)?;
    links::register(module)?;
    log::register(module)?;
    memory::register(module)?;
    near::register(module)?;
    packing::register(module)?;
    robots::register(module)?;
    scope::register(module)?;
    sitemap::register(module)?;
    page::register(module)?;
    rank::register(module)?;
    rehearsal::register(module)?;
    rewriting::register(module)?;
    url::register(module)?;
    url_store::register(module)?;
    warc::register(module)?;
    words::register(module)?;
    Ok(())
}
