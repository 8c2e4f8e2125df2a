//! Python bindings of [`crate::rewriting`].

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::error::to_python;
use crate::engine::head;
use crate::error::Error;
use crate::rewriting::{self, Prefixes};
use crate::url;

/// The content type to send, and the body; the head and body are those of an archived answer. `guarded`: its scripts will
/// run.
#[pyfunction]
#[pyo3(signature = (head, body, *, url, page, frame, asset, guarded=false))]
#[expect(
    clippy::too_many_arguments,
    reason = "keyword arguments of the Python contract"
)]
fn rewrite_archived<'py>(
    py: Python<'py>,
    head: &[u8],
    body: &Bound<'py, PyBytes>,
    url: &str,
    page: String,
    frame: String,
    asset: String,
    guarded: bool,
) -> PyResult<(String, Bound<'py, PyBytes>)> {
    let url = url::parse(url, None).map_err(|reason| to_python(Error::from(reason)))?;
    let prefixes = Prefixes { page, frame, asset };
    let bytes = body.as_bytes();
    let rewritten = py.detach(|| {
        let headers = head::parse(head).map_or_else(|_| Vec::new(), |head| head.headers);
        rewriting::rewrite(bytes, &url, &headers, &prefixes, guarded)
    });
    let body = match rewritten.body {
        Some(text) => PyBytes::new(py, text.as_bytes()),
        None => body.clone(),
    };
    Ok((rewritten.content_type, body))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(rewrite_archived, module)?)
}
