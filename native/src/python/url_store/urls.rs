//! URLs as Python sees them: found, discovered, queued.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::fetched::Kind;
use crate::python::error::to_python;
use crate::python::text::Text;
use crate::python::url_store::arguments::invalid;
use crate::url::Key;
use crate::url_store::attributes::{Attributes, Via};
use crate::url_store::{self, Admitted, Refused, discoveries};

#[pyclass(frozen, module = "hondius._native")]
pub struct Discoveries {
    data: Py<PyBytes>,
    #[pyo3(get)]
    count: u64,
    closer: Py<PyBytes>,
    #[pyo3(get)]
    closer_count: u64,
    #[pyo3(get)]
    refused: Vec<(String, Py<PyBytes>, &'static str)>,
    #[pyo3(get)]
    known: u64,
    #[pyo3(get)]
    outside: u64,
    #[pyo3(get)]
    out_of_scope: u64,
    #[pyo3(get)]
    counted: Vec<(String, &'static str, u64)>,
    /// The admissions of each partition; empty for a single store.
    #[pyo3(get)]
    parts: Vec<(u32, Py<Discoveries>)>,
}

#[pymethods]
impl Discoveries {
    /// Combines the admissions of several partitions. The data are only in its parts, because each part gets its own
    /// frame.
    #[staticmethod]
    fn merged(py: Python<'_>, parts: Vec<(u32, Py<Discoveries>)>) -> Self {
        let empty = PyBytes::new(py, b"").unbind();
        let mut whole = Discoveries {
            data: empty.clone_ref(py),
            count: 0,
            closer: empty,
            closer_count: 0,
            refused: Vec::new(),
            known: 0,
            outside: 0,
            out_of_scope: 0,
            counted: Vec::new(),
            parts: Vec::new(),
        };
        for (_, part) in &parts {
            let part = part.get();
            whole.count += part.count;
            whole.closer_count += part.closer_count;
            let refused = part.refused.iter();
            let refused =
                refused.map(|(href, key, reason)| (href.clone(), key.clone_ref(py), *reason));
            whole.refused.extend(refused);
            whole.known += part.known;
            whole.outside += part.outside;
            whole.out_of_scope += part.out_of_scope;
            whole.counted.extend(part.counted.iter().cloned());
        }
        whole.parts = parts;
        whole
    }

    #[getter]
    fn data(&self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        self.whole(&self.data, py)
    }

    #[getter]
    fn closer(&self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        self.whole(&self.closer, py)
    }

    /// All of its data, including that of its parts.
    #[getter]
    fn blobs(&self, py: Python<'_>) -> Vec<Py<PyBytes>> {
        if self.parts.is_empty() {
            return vec![self.data.clone_ref(py), self.closer.clone_ref(py)];
        }
        let parts = self.parts.iter();
        parts.flat_map(|(_, part)| part.get().blobs(py)).collect()
    }
}

impl Discoveries {
    fn whole(&self, data: &Py<PyBytes>, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        match self.parts.is_empty() {
            true => Ok(data.clone_ref(py)),
            false => Err(invalid("its data lie in its parts".into())),
        }
    }

    pub fn new(py: Python<'_>, admitted: Admitted) -> Self {
        let refused = |refused: Refused| {
            (
                refused.href,
                PyBytes::new(py, &refused.key).unbind(),
                refused.reason,
            )
        };
        Discoveries {
            data: PyBytes::new(py, &admitted.data).unbind(),
            count: admitted.count,
            closer: PyBytes::new(py, &admitted.closer).unbind(),
            closer_count: admitted.closer_count,
            refused: admitted.refused.into_iter().map(refused).collect(),
            known: admitted.known,
            outside: admitted.outside,
            out_of_scope: admitted.out_of_scope,
            counted: admitted
                .counted
                .into_iter()
                .map(|((host, reason), count)| (host, reason, count))
                .collect(),
            parts: Vec::new(),
        }
    }
}

/// Properties of both discovered and queued URLs.
macro_rules! url_class {
    ($name:ident { $($rest:tt)* }) => {
        #[pyclass(frozen, module = "hondius._native")]
        pub struct $name {
            pub href: String,
            pub key: Key,
            pub attributes: Attributes,
        }

        #[pymethods]
        impl $name {
            #[getter]
            fn href(&self) -> &str {
                &self.href
            }
            #[getter]
            fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
                PyBytes::new(py, &self.key)
            }
            #[getter]
            fn priority(&self) -> f64 {
                self.attributes.priority
            }
            #[getter]
            fn depth(&self) -> u32 {
                self.attributes.depth
            }
            #[getter]
            fn hops(&self) -> u32 {
                self.attributes.hops
            }
            #[getter]
            fn via(&self) -> &'static str {
                self.attributes.via.name()
            }
            #[getter]
            fn kind(&self) -> &'static str {
                self.attributes.kind.name()
            }
            #[getter]
            fn source<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
                self.attributes.source.map(|key| PyBytes::new(py, &key))
            }
            #[getter]
            fn discovered_at(&self) -> f64 {
                self.attributes.discovered_at
            }
            #[getter]
            fn deferred(&self) -> bool {
                self.attributes.deferred
            }
            #[getter]
            fn foreign(&self) -> bool {
                self.attributes.foreign
            }
            fn __repr__(&self) -> String {
                format!(concat!(stringify!($name), "({})"), self.href)
            }
            $($rest)*
        }
    };
}

url_class!(DiscoveredUrl {});

url_class!(QueuedUrl {
    #[getter]
    fn is_seed(&self) -> bool {
        self.attributes.is_seed
    }

    /// A page of an archive, at depth 0. `is_known`: it has ended before.
    #[staticmethod]
    #[pyo3(signature = (href, key, *, discovered_at, is_known))]
    fn imported(href: Text, key: Key, discovered_at: f64, is_known: bool) -> QueuedUrl {
        let attributes = Attributes {
            priority: 1.0,
            depth: 0,
            hops: 0,
            via: if is_known { Via::Recrawl } else { Via::Import },
            kind: Kind::Page,
            source: None,
            discovered_at,
            is_seed: false,
            parked: false,
            deferred: false,
            foreign: false,
            from_sibling: false,
        };
        QueuedUrl { href: href.0, key, attributes }
    }

    /// The same URL under another href, one hop further.
    fn renamed(&self, href: Text) -> QueuedUrl {
        let attributes = Attributes { hops: self.attributes.hops.saturating_add(1), ..self.attributes };
        QueuedUrl { href: href.0, key: self.key, attributes }
    }
});

impl From<url_store::QueuedUrl> for QueuedUrl {
    fn from(url: url_store::QueuedUrl) -> Self {
        QueuedUrl {
            href: url.href,
            key: url.key,
            attributes: url.attributes,
        }
    }
}

#[pyfunction]
pub fn decode_discoveries(data: &[u8]) -> PyResult<Vec<DiscoveredUrl>> {
    let groups = discoveries::decode(data).map_err(to_python)?;
    let mut urls = Vec::new();
    for group in groups {
        urls.extend(group.rows.iter().map(|row| DiscoveredUrl {
            href: [row.origin, row.path].concat(),
            key: row.key,
            attributes: group.attributes,
        }));
    }
    Ok(urls)
}
