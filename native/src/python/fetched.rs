//! Python bindings of [`crate::fetched`]: a finished fetch whose body stays native.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::page::Page;
use super::url::{Identity, Url};
use crate::fetched;

#[pyclass(frozen, module = "hondius._native")]
pub struct Fetched(Arc<fetched::Fetched>);

impl Fetched {
    pub fn new(fetched: Arc<fetched::Fetched>) -> Self {
        Fetched(fetched)
    }

    /// For native code: the URL store and the archive.
    pub fn native(&self) -> &Arc<fetched::Fetched> {
        &self.0
    }
}

#[pymethods]
impl Fetched {
    #[getter]
    fn ticket(&self) -> u64 {
        self.0.ticket
    }

    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.key)
    }

    #[getter]
    fn href(&self) -> &str {
        &self.0.href
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    #[getter]
    fn address(&self) -> Option<String> {
        self.0.address.map(|address| address.to_string())
    }

    #[getter]
    fn started_at(&self) -> f64 {
        self.0.started_at
    }

    #[getter]
    fn ended_at(&self) -> f64 {
        self.0.ended_at
    }

    #[getter]
    fn failure(&self) -> Option<&'static str> {
        self.0.failure.as_ref().map(|(cause, _)| *cause)
    }

    #[getter]
    fn detail(&self) -> &str {
        match &self.0.failure {
            Some((_, detail)) => detail,
            None => &self.0.note,
        }
    }

    #[getter]
    fn imported(&self) -> Option<&str> {
        self.0.imported.as_deref()
    }

    #[getter]
    fn status(&self) -> Option<u16> {
        self.0.exchange.as_ref().map(|exchange| exchange.status)
    }

    #[getter]
    fn is_redirect(&self) -> bool {
        self.0.is_redirect()
    }

    /// Parsed on demand: most answers have none.
    fn location(&self, py: Python<'_>, identity: &Bound<'_, Identity>) -> PyResult<Py<PyAny>> {
        match self.0.location() {
            None => Ok(py.None()),
            Some(Ok(url)) => Ok(Py::new(py, Url::new(&identity.get().0, url))?.into_any()),
            Some(Err(reason)) => Ok(PyString::new(py, reason.as_str()).into_any().unbind()),
        }
    }

    #[getter]
    fn retry_after(&self) -> Option<f64> {
        self.0.retry_after()
    }

    #[getter]
    fn max_age(&self) -> Option<f64> {
        self.0.max_age()
    }

    #[getter]
    fn http_date(&self) -> String {
        self.0.http_date()
    }

    #[getter]
    fn etag<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.etag())
    }

    #[getter]
    fn last_modified<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.last_modified())
    }

    #[getter]
    fn content_type(&self) -> &str {
        &self.0.content_type
    }

    #[getter]
    fn truncated(&self) -> bool {
        let exchange = self.0.exchange.as_ref();
        self.0.is_partly_decoded || exchange.is_some_and(|exchange| exchange.truncated)
    }

    #[getter]
    fn wire_bytes(&self) -> u64 {
        self.0
            .exchange
            .as_ref()
            .map_or(0, |exchange| exchange.wire_bytes)
    }

    #[getter]
    fn decoded_length(&self) -> u64 {
        self.0.decoded_length
    }

    #[getter]
    fn content_hash<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.0.content_hash.map(|hash| PyBytes::new(py, &hash))
    }

    #[getter]
    fn page(&self) -> Option<Page> {
        self.0.page.clone().map(Page)
    }

    /// Usage preferences of headers and document, one a line; None for most answers.
    #[getter]
    fn usage(&self) -> Option<&str> {
        let page = self.0.page.as_ref().map(|page| page.usage.as_str());
        page.or(Some(&self.0.usage))
            .filter(|lines| !lines.is_empty())
    }

    #[getter]
    fn is_sitemap(&self) -> bool {
        self.0.sitemap.is_some()
    }

    /// Links of a page, or entries of a sitemap, above the cap.
    #[getter]
    fn links_cut(&self) -> usize {
        let sitemap = self.0.sitemap.as_ref().map_or(0, |sitemap| sitemap.cut);
        let page = self.0.page.as_ref();
        sitemap
            + page.map_or(0, |page| {
                (page.links_found as usize).saturating_sub(page.links.len())
            })
    }

    fn list_modified<'py>(
        &self,
        py: Python<'py>,
        after: &str,
    ) -> Vec<(Bound<'py, PyBytes>, String)> {
        let entries = self.0.sitemap.iter().flat_map(|sitemap| &sitemap.entries);
        let modified =
            entries.filter(|entry| !entry.is_sitemap && entry.last_modified.as_str() > after);
        modified
            .map(|entry| (PyBytes::new(py, &entry.key), entry.last_modified.clone()))
            .collect()
    }

    #[getter]
    fn entries(&self) -> usize {
        let sitemap = self.0.sitemap.as_ref();
        sitemap.map_or(0, |sitemap| sitemap.entries.len())
    }

    /// The head of the answer, exactly as received; empty without one.
    #[getter]
    fn head<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let exchange = self.0.exchange.as_ref();
        PyBytes::new(py, exchange.map_or(&[], |exchange| &exchange.response_head))
    }

    fn decode_body<'py>(&self, py: Python<'py>, cap: usize) -> Option<Bound<'py, PyBytes>> {
        let body = py.detach(|| self.0.decode_body(cap))?;
        Some(PyBytes::new(py, &body))
    }

    #[getter]
    fn robots_txt<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let body = self.0.robots_txt.as_ref()?;
        Some(PyBytes::new(py, body.as_slice()))
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Fetched>()
}
