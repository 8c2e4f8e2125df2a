//! Skin of [`crate::url`].

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::error::to_python;
use crate::url::{self, Key, Reason, Switches};

#[pyclass(frozen, module = "hondius._native")]
pub struct Identity(pub crate::url::Identity);

#[pymethods]
impl Identity {
    #[new]
    #[pyo3(signature = (*, sort_query=true, drop_tracking=true, drop_session=true, drop_index=false,
                        drop_trailing_slash=false, drop_www=false))]
    fn new(
        sort_query: bool,
        drop_tracking: bool,
        drop_session: bool,
        drop_index: bool,
        drop_trailing_slash: bool,
        drop_www: bool,
    ) -> Self {
        Identity(url::Identity::new(Switches {
            sort_query,
            drop_tracking,
            drop_session,
            drop_index,
            drop_trailing_slash,
            drop_www,
        }))
    }

    #[pyo3(signature = (text, base=None))]
    fn parse(&self, text: &str, base: Option<&str>) -> PyResult<Url> {
        let parsed = base.map(url::parse_base).transpose();
        let parsed = parsed.and_then(|base| url::parse(text, base.as_ref()));
        let parsed = parsed.map_err(|reason| to_python(reason.into()))?;
        Ok(Url::new(&self.0, parsed))
    }

    fn batch(&self, py: Python<'_>, rows: Vec<(String, Option<String>)>) -> Vec<Row> {
        py.detach(|| {
            rows.iter()
                .map(|(text, base)| row(&self.0, text, base.as_deref()))
                .collect()
        })
    }
}

/// href, key form, key in hex, reason: the first three or the last.
type Row = (
    Option<String>,
    Option<String>,
    Option<String>,
    Option<&'static str>,
);

fn row(identity: &url::Identity, text: &str, base: Option<&str>) -> Row {
    let parsed: Result<_, Reason> = base
        .map(url::parse_base)
        .transpose()
        .and_then(|base| url::parse(text, base.as_ref()));
    match parsed {
        Ok(parsed) => {
            let key_form = identity.key_form(&parsed);
            let key = hex(identity.key(&key_form));
            (Some(parsed.into()), Some(key_form), Some(key), None)
        }
        Err(reason) => (None, None, None, Some(reason.as_str())),
    }
}

fn hex(key: Key) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[pyclass(frozen, module = "hondius._native")]
pub struct Url {
    url: ::url::Url,
    key_form: String,
    key: Key,
}

impl Url {
    fn new(identity: &url::Identity, url: ::url::Url) -> Self {
        let key_form = identity.key_form(&url);
        let key = identity.key(&key_form);
        Url { url, key_form, key }
    }
}

#[pymethods]
impl Url {
    #[getter]
    fn href(&self) -> &str {
        self.url.as_str()
    }

    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.key)
    }

    #[getter]
    fn key_form(&self) -> &str {
        &self.key_form
    }

    #[getter]
    fn scheme(&self) -> &str {
        self.url.scheme()
    }

    #[getter]
    fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    #[getter]
    fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or_default()
    }

    #[getter]
    fn origin(&self) -> String {
        url::origin(&self.url)
    }

    #[getter]
    fn path_and_query(&self) -> &str {
        url::path_and_query(&self.url)
    }

    fn __repr__(&self) -> String {
        format!("Url({:?})", self.url.as_str())
    }
}

#[pyfunction]
fn registrable_domain(host: &str) -> Option<String> {
    url::registrable_domain(&host.to_lowercase()).map(str::to_owned)
}

#[pyfunction]
fn host_hash(host: &str) -> u64 {
    url::host_hash(host)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Identity>()?;
    module.add_class::<Url>()?;
    module.add_function(wrap_pyfunction!(registrable_domain, module)?)?;
    module.add_function(wrap_pyfunction!(host_hash, module)?)
}
