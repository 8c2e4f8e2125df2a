//! Python bindings of [`crate::engine::rehearsal`].

use std::sync::Arc;

use bytes::Bytes;
use pyo3::prelude::*;

use super::engine::{Request, job};
use super::error::to_python;
use super::fetched::Fetched;
use super::page::Reader;
use crate::engine::rehearsal::{self, Act};

#[pyclass(frozen, module = "hondius._native")]
pub struct Rehearsal(rehearsal::Rehearsal);

#[pymethods]
impl Rehearsal {
    #[new]
    #[pyo3(signature = (reader, *, user_agent, content_types=vec![]),
           text_signature = "(reader, *, user_agent, content_types=())")]
    fn new(reader: &Reader, user_agent: &str, content_types: Vec<String>) -> PyResult<Self> {
        rehearsal::Rehearsal::new(reader.analyser(), user_agent, content_types)
            .map(Rehearsal)
            .map_err(to_python)
    }

    #[pyo3(signature = (request, *, started_at, ended_at, head, body, failure=None))]
    fn play(
        &self,
        request: Request,
        started_at: f64,
        ended_at: f64,
        head: Vec<u8>,
        body: Vec<u8>,
        failure: Option<(String, String)>,
    ) -> PyResult<Fetched> {
        let act = Act {
            started_at,
            ended_at,
            head: Bytes::from(head),
            body: Bytes::from(body),
            failure,
        };
        let played = match job(request) {
            Ok(job) => self.0.play(&job, act).map_err(to_python)?,
            Err(failed) => *failed,
        };
        Ok(Fetched::new(Arc::new(played)))
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Rehearsal>()
}
