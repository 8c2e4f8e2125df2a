//! Python bindings of [`crate::robots`] and of tdmrep.json.

use pyo3::prelude::*;

use super::text::Text;
use crate::{robots, usage};

#[pyclass(frozen, module = "hondius._native")]
pub struct Robots(robots::Robots);

#[pymethods]
impl Robots {
    #[new]
    fn new(py: Python<'_>, body: &[u8], agent: &str) -> Self {
        Robots(py.detach(|| robots::Robots::parse(body, agent)))
    }

    fn allowed(&self, path_and_query: Text) -> (bool, usize, String) {
        let verdict = self.0.allowed(&path_and_query.0);
        (verdict.allowed, verdict.line, verdict.text.to_owned())
    }

    fn usage(&self, path_and_query: Text) -> Option<String> {
        self.0.usage(&path_and_query.0)
    }

    #[getter]
    fn usage_lines(&self) -> Vec<&str> {
        self.0.usage_lines()
    }

    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        self.0.crawl_delay()
    }

    #[getter]
    fn memory(&self) -> usize {
        self.0.memory()
    }

    #[getter]
    fn sitemaps(&self) -> Vec<String> {
        self.0.sitemaps().to_vec()
    }
}

#[pyclass(frozen, module = "hondius._native")]
pub struct Tdmrep(usage::Tdmrep);

#[pymethods]
impl Tdmrep {
    #[new]
    fn new(py: Python<'_>, body: &[u8]) -> Self {
        Tdmrep(py.detach(|| usage::Tdmrep::parse(body)))
    }

    fn usage(&self, path_and_query: Text) -> Option<String> {
        self.0.usage(&path_and_query.0)
    }

    #[getter]
    fn lines(&self) -> Vec<String> {
        self.0.lines()
    }

    #[getter]
    fn memory(&self) -> usize {
        self.0.memory()
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Robots>()?;
    module.add_class::<Tdmrep>()
}
