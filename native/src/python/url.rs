//! Python bindings of [`crate::url`].

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::error::to_python;
use super::text::Text;
use crate::error::Error;
use crate::url::{self, Key, Reason, Switches, Version};

#[pyclass(frozen, module = "hondius._native")]
pub struct Identity(pub crate::url::Identity);

#[pymethods]
impl Identity {
    #[new]
    #[pyo3(signature = (*, version=2, sort_query=true, drop_tracking=true, drop_session=true, drop_index=false,
                        drop_trailing_slash=false, drop_www=false))]
    fn new(
        version: u8,
        sort_query: bool,
        drop_tracking: bool,
        drop_session: bool,
        drop_index: bool,
        drop_trailing_slash: bool,
        drop_www: bool,
    ) -> PyResult<Self> {
        let version = Version::of(version).ok_or_else(|| {
            to_python(Error::Invalid(format!(
                "there is no version {version} of identity"
            )))
        })?;
        Ok(Identity(url::Identity::new(Switches {
            version,
            sort_query,
            drop_tracking,
            drop_session,
            drop_index,
            drop_trailing_slash,
            drop_www,
        })))
    }

    #[pyo3(signature = (text, base=None))]
    fn parse(&self, text: Text, base: Option<Text>) -> PyResult<Url> {
        parse(&self.0, &text, base.as_ref())
            .map(|url| Url::new(&self.0, url))
            .map_err(|reason| to_python(reason.into()))
    }

    fn batch(&self, py: Python<'_>, rows: Vec<(Text, Option<Text>)>) -> Vec<Row> {
        py.detach(|| {
            rows.iter()
                .map(|(text, base)| row(&self.0, parse(&self.0, text, base.as_ref())))
                .collect()
        })
    }
}

fn parse(identity: &url::Identity, text: &Text, base: Option<&Text>) -> Result<::url::Url, Reason> {
    let base = base.map(|base| url::parse_base(&base.0)).transpose()?;
    identity.parse(&text.0, base.as_ref())
}

/// href, key form, key in hex, reason: the first three or the last.
type Row = (
    Option<String>,
    Option<String>,
    Option<String>,
    Option<&'static str>,
);

fn row(identity: &url::Identity, parsed: Result<::url::Url, Reason>) -> Row {
    match parsed {
        Ok(url) => {
            let key_form = identity.key_form(&url);
            let key = hex(identity.key(&key_form));
            (Some(url.into()), Some(key_form), Some(key), None)
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
    pub fn new(identity: &url::Identity, url: ::url::Url) -> Self {
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
fn registrable_domain(host: Text) -> Option<String> {
    url::registrable_domain(&host.0.to_lowercase()).map(str::to_owned)
}

#[pyfunction]
fn host_hash(host: Text) -> u64 {
    url::host_hash(&host.0)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Identity>()?;
    module.add_class::<Url>()?;
    module.add_function(wrap_pyfunction!(registrable_domain, module)?)?;
    module.add_function(wrap_pyfunction!(host_hash, module)?)
}
