//! Python bindings of [`crate::extraction`].

use pyo3::prelude::*;

use super::error::to_python;
use super::page::Reader;
use crate::error::Error;
use crate::{extraction, url};

#[pyclass(frozen, module = "hondius._native")]
pub struct Extraction(extraction::Extraction);

#[pymethods]
impl Extraction {
    #[new]
    #[pyo3(signature = (reader, body, *, url, content_type="", headers=Vec::new()),
           text_signature = "(reader, body, *, url, content_type='', headers=())")]
    fn new(
        py: Python<'_>,
        reader: &Reader,
        body: &[u8],
        url: &str,
        content_type: &str,
        headers: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let url = url::parse(url, None).map_err(|reason| to_python(Error::from(reason)))?;
        let read =
            || extraction::Extraction::read(&reader.reader, body, &url, content_type, &headers);
        Ok(Extraction(py.detach(read)))
    }

    #[getter]
    fn main_text(&self) -> &str {
        &self.0.main.plain
    }

    #[getter]
    fn markdown(&self) -> &str {
        &self.0.main.markdown
    }

    #[getter]
    fn structured_data(&self) -> &str {
        &self.0.structured_data
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("EXTRACTION_VERSION", extraction::EXTRACTION_VERSION)?;
    module.add_class::<Extraction>()
}
