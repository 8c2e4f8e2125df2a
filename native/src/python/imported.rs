//! Python bindings of [`crate::engine::imported`] and [`crate::warc::ForeignArchive`].

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::prelude::*;

use super::error::to_python;
use super::fetched::Fetched;
use super::page::Reader;
use super::text::Text;
use crate::engine::imported::{self, ArchivedAnswer};
use crate::engine::settings::Caps;
use crate::error::Error;
use crate::fetched::Kind;
use crate::url::{self, Key};
use crate::warc;

/// An archive that others made, read from front to back.
#[pyclass(frozen, module = "hondius._native")]
pub struct ForeignArchive(Mutex<warc::ForeignArchive>);

#[pymethods]
impl ForeignArchive {
    #[new]
    #[pyo3(signature = (path, *, cap))]
    fn new(path: PathBuf, cap: usize) -> PyResult<Self> {
        let archive = warc::ForeignArchive::open(&path, cap).map_err(to_python)?;
        Ok(ForeignArchive(Mutex::new(archive)))
    }

    fn read(&self, py: Python<'_>) -> PyResult<Option<ForeignRecord>> {
        let read = py.detach(|| self.0.lock().read());
        Ok(read.map_err(to_python)?.map(ForeignRecord))
    }

    #[getter]
    fn progress(&self) -> (u64, u64) {
        self.0.lock().progress()
    }
}

#[pyclass(frozen, module = "hondius._native")]
pub struct ForeignRecord(warc::ForeignRecord);

#[pymethods]
impl ForeignRecord {
    #[getter]
    fn offset(&self) -> u64 {
        self.0.offset
    }

    #[getter]
    fn problem(&self) -> Option<&str> {
        self.0.problem.as_deref()
    }

    #[getter]
    fn kind(&self) -> String {
        self.0.text("warc-type").to_ascii_lowercase()
    }

    #[getter]
    fn target(&self) -> String {
        self.0.target()
    }

    #[getter]
    fn date(&self) -> Option<f64> {
        self.0.date()
    }

    #[getter]
    fn is_http(&self) -> bool {
        self.0.is_http()
    }

    /// The URL of the record that has the body of a revisit; empty if none is named.
    #[getter]
    fn refers_to(&self) -> String {
        let target = self.0.text("warc-refers-to-target-uri");
        target.trim_matches(['<', '>']).to_owned()
    }

    /// Bytes that it takes.
    #[getter]
    fn size(&self) -> usize {
        self.0.block.len()
    }
}

/// Makes fetches of records.
#[pyclass(frozen, module = "hondius._native")]
pub struct Importer(imported::Importer);

#[pymethods]
impl Importer {
    #[new]
    #[pyo3(signature = (reader, *, content_types, page_cap, sitemap_cap, robots_cap, body_budget))]
    fn new(
        reader: &Reader,
        content_types: Vec<String>,
        page_cap: usize,
        sitemap_cap: usize,
        robots_cap: usize,
        body_budget: usize,
    ) -> Self {
        let caps = Caps {
            page: page_cap,
            sitemap: sitemap_cap,
            robots: robots_cap,
            headers: usize::MAX,
        };
        let importer = imported::Importer::new(reader.analyser(), content_types, caps, body_budget);
        Importer(importer)
    }

    /// `original`: the record of our archive that has the body of a revisit.
    #[pyo3(signature = (record, *, key, href, kind, at, file, original=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python contract"
    )]
    fn process(
        &self,
        py: Python<'_>,
        record: &ForeignRecord,
        key: Key,
        href: Text,
        kind: &str,
        at: f64,
        file: String,
        original: Option<&[u8]>,
    ) -> PyResult<Fetched> {
        let invalid = |reason: String| to_python(Error::Invalid(reason));
        let url = url::parse(&href.0, None).map_err(|reason| to_python(Error::from(reason)))?;
        let port = url.port_or_known_default().unwrap_or(80);
        let address = record.0.text("warc-ip-address").parse::<IpAddr>();
        let kind = Kind::from_name(kind).ok_or_else(|| invalid(format!("unknown kind {kind}")))?;
        let processed = py.detach(|| {
            let (head, own) = record.0.split();
            let body = match original {
                Some(original) => warc::stored_body(original)?,
                None => own.to_vec(),
            };
            let answer = ArchivedAnswer {
                key,
                href: href.0,
                url,
                kind,
                address: address.ok().map(|ip| SocketAddr::new(ip, port)),
                at,
                file,
                head,
                body,
                is_joined: original.is_some(),
                is_cut: record.0.is_cut,
            };
            self.0.process(answer).map_err(Error::Invalid)
        });
        Ok(Fetched::new(Arc::new(processed.map_err(to_python)?)))
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ForeignArchive>()?;
    module.add_class::<ForeignRecord>()?;
    module.add_class::<Importer>()
}
