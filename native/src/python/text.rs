//! Converts Python text that Rust cannot represent: with lone surrogates.

use pyo3::prelude::*;
use pyo3::types::PyString;

/// A Python string with lone surrogates replaced by U+FFFD, as in web APIs. For texts from pages: they must give a
/// verdict, never an exception.
pub struct Text(pub String);

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let text = object.cast::<PyString>()?;
        match text.to_cow() {
            Ok(text) => Ok(Text(text.into_owned())),
            Err(_) => with_replaced_surrogates(&text),
        }
    }
}

fn with_replaced_surrogates(text: &Bound<'_, PyString>) -> PyResult<Text> {
    let encoded = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
    let units: Vec<u16> = encoded
        .extract::<&[u8]>()?
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect();
    Ok(Text(String::from_utf16_lossy(&units)))
}
