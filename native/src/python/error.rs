//! `NativeError`: the one exception of this module, carrying the kind of [`Error`] and its `errno`.
//!
//! A class of Rust cannot extend `Exception` under the stable ABI of 3.11, hence attributes set on
//! the instance; the class holds the defaults, so that both always exist.

use pyo3::exceptions::PyException;
use pyo3::panic::PanicException;
use pyo3::prelude::*;

use crate::error::Error;

pyo3::create_exception!(
    hondius._native,
    NativeError,
    PyException,
    "Raised by everything here; the first argument is the message, `.kind` one of invalid, io, corrupt."
);

/// The exception that Python sees for an error of the library.
pub fn to_python(error: Error) -> PyErr {
    let (kind, errno) = match &error {
        Error::Invalid(_) => ("invalid", None),
        Error::Io { source, .. } => ("io", source.raw_os_error()),
        Error::Corrupt(_) => ("corrupt", None),
    };
    Python::attach(|py| {
        let exception = NativeError::new_err(error.to_string());
        let value = exception.value(py);
        match value
            .setattr("kind", kind)
            .and_then(|()| value.setattr("errno", errno))
        {
            Ok(()) => exception,
            Err(failure) => failure,
        }
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let class = module.py().get_type::<NativeError>();
    class.setattr("kind", "invalid")?;
    class.setattr("errno", module.py().None())?;
    module.add("PanicException", module.py().get_type::<PanicException>())?;
    module.add("NativeError", class)
}
