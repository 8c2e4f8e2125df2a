//! Python bindings of [`crate::engine::guard`].

use std::net::IpAddr;

use pyo3::prelude::*;

use super::error::to_python;
use crate::engine::guard::Guard;
use crate::error::Error;

#[pyfunction]
fn may_connect(address: &str, allow_private: Vec<String>) -> PyResult<bool> {
    let parsed: IpAddr = address
        .parse()
        .map_err(|_| to_python(Error::Invalid(format!("{address:?} is no address"))))?;
    let guard = Guard::new(&allow_private).map_err(to_python)?;
    Ok(guard.permits(parsed))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(may_connect, module)?)
}
