//! Python bindings of [`crate::sitemap`].

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::error::to_python;
use super::text::Text;
use super::url::Identity;
use crate::sitemap;
use crate::url::parse;

/// The URLs of a sitemap that was read again from the archive.
#[pyclass(frozen, module = "hondius._native")]
pub struct Listing(pub Arc<sitemap::Sitemap>);

#[pyclass(frozen, module = "hondius._native")]
pub struct SitemapEntry(sitemap::Entry);

#[pymethods]
impl SitemapEntry {
    #[getter]
    fn href(&self) -> &str {
        &self.0.href
    }

    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.key)
    }

    #[getter]
    fn last_modified(&self) -> &str {
        &self.0.last_modified
    }

    #[getter]
    fn change_frequency(&self) -> &str {
        self.0.change_frequency
    }

    #[getter]
    fn priority(&self) -> Option<f64> {
        self.0.priority
    }

    #[getter]
    fn is_sitemap(&self) -> bool {
        self.0.is_sitemap
    }

    #[getter]
    fn is_news(&self) -> bool {
        self.0.is_news
    }
}

#[pyfunction]
fn read_sitemap(
    py: Python<'_>,
    body: &[u8],
    url: Text,
    identity: &Bound<'_, Identity>,
) -> PyResult<(Vec<SitemapEntry>, usize)> {
    let url = parse(&url.0, None).map_err(|reason| to_python(reason.into()))?;
    let identity = &identity.get().0;
    let sitemap = py.detach(|| sitemap::read(body, &url, identity));
    let entries = sitemap.entries.into_iter().map(SitemapEntry).collect();
    Ok((entries, sitemap.cut))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Listing>()?;
    module.add_class::<SitemapEntry>()?;
    module.add_function(wrap_pyfunction!(read_sitemap, module)?)
}
