//! Checks a store that is not open.

use std::ops::ControlFlow;
use std::path::Path;

use pyo3::prelude::*;

use crate::python::error::to_python;
use crate::url_store::{self, Damage};

/// The result of [`check_url_store`].
#[pyclass(frozen, get_all, module = "hondius._native")]
pub struct CheckedRuns {
    runs: u64,
    blocks: u64,
    damages: Vec<(String, String)>,
}

#[pyfunction]
#[pyo3(signature = (directory, progress=None))]
pub fn check_url_store(
    py: Python<'_>,
    directory: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<CheckedRuns> {
    let mut raised = None;
    let mut tell = |done: u64, total: u64| {
        let told = progress.as_ref().map_or(Ok(()), |progress| {
            Python::attach(|py| progress.call1(py, (done, total)).map(drop))
        });
        raised = told.err();
        match raised {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    };
    let runs = Path::new(directory).join(url_store::RUNS);
    let checked = py.detach(|| url_store::check_runs(&runs, &mut tell));
    if let Some(error) = raised {
        return Err(error);
    }
    let checked = checked.map_err(to_python)?;
    Ok(CheckedRuns {
        runs: checked.runs,
        blocks: checked.blocks,
        damages: checked
            .damages
            .into_iter()
            .map(|Damage { file, what }| (file, what))
            .collect(),
    })
}
