//! Python bindings of [`crate::warc`].

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use super::error::to_python;
use super::fetched::Fetched;
use super::page::{Page, Reader};
use super::sitemap::Listing;
use crate::error::Error;
use crate::{fetched, url, warc};

#[pyclass(frozen, module = "hondius._native")]
struct WarcSettings(warc::Settings);

#[pymethods]
impl WarcSettings {
    #[new]
    #[pyo3(signature = (*, software, operator = "", robots_policy = "obey", compression = 1))]
    fn new(software: String, operator: &str, robots_policy: &str, compression: i32) -> Self {
        WarcSettings(warc::Settings {
            software,
            operator: operator.to_owned(),
            robots_policy: robots_policy.to_owned(),
            compression,
        })
    }
}

#[pyclass(frozen, get_all, module = "hondius._native")]
struct WarcBlock {
    data: Py<PyBytes>,
    positions: Vec<(u64, u64)>,
    dates: Vec<String>,
    payload_digests: Vec<String>,
    cdxj: Vec<String>,
}

#[pyclass(frozen, get_all, module = "hondius._native")]
struct WarcEntry {
    offset: u64,
    length: u64,
    kind: String,
    target: String,
    problem: Option<String>,
    cdxj: Option<String>,
}

/// (fetch, original's URL, its WARC date, its payload digest, metadata fields, keep the body)
type Row<'py> = (
    Bound<'py, Fetched>,
    Option<String>,
    Option<String>,
    Option<String>,
    String,
    bool,
);

struct Fetch {
    fetched: Arc<fetched::Fetched>,
    original: Option<warc::Original>,
    fields: String,
    keep_body: bool,
}

impl Fetch {
    fn new((fetched, target, warc_date, payload_digest, fields, keep_body): Row<'_>) -> Self {
        let original = target
            .zip(warc_date)
            .map(|(target, warc_date)| warc::Original {
                target,
                warc_date,
                payload_digest: payload_digest.unwrap_or_default(),
            });
        Fetch {
            fetched: fetched.get().native().clone(),
            original,
            fields,
            keep_body,
        }
    }

    fn archived(&self) -> warc::ArchivedFetch<'_> {
        warc::ArchivedFetch {
            fetched: &self.fetched,
            original: self.original.clone(),
            fields: &self.fields,
            keep_body: self.keep_body,
        }
    }
}

#[pyfunction]
fn warc_information<'py>(
    py: Python<'py>,
    settings: &WarcSettings,
    file_name: &str,
    written_at: f64,
) -> PyResult<Bound<'py, PyBytes>> {
    let data = warc::information(&settings.0, file_name, written_at).map_err(to_python)?;
    Ok(PyBytes::new(py, &data))
}

#[pyfunction]
fn warc_block(
    py: Python<'_>,
    settings: &WarcSettings,
    fetches: Vec<Row<'_>>,
    base_offset: u64,
    file_name: &str,
) -> PyResult<WarcBlock> {
    let fetches: Vec<Fetch> = fetches.into_iter().map(Fetch::new).collect();
    let block = py.detach(|| {
        let archived: Vec<_> = fetches.iter().map(Fetch::archived).collect();
        warc::block(&settings.0, &archived, base_offset, file_name)
    });
    let block = block.map_err(to_python)?;
    let positions = block.positions.iter();
    Ok(WarcBlock {
        data: PyBytes::new(py, &block.data).unbind(),
        positions: positions
            .map(|position| (position.offset, position.length))
            .collect(),
        dates: block.dates,
        payload_digests: block.payload_digests,
        cdxj: block.cdxj,
    })
}

#[pyfunction]
#[pyo3(signature = (data, base_offset = 0, file_name = ""))]
fn warc_scan(
    py: Python<'_>,
    data: PyBackedBytes,
    base_offset: u64,
    file_name: &str,
) -> (Vec<WarcEntry>, usize) {
    let found = py.detach(|| warc::scan(&data, base_offset, file_name));
    let entries = found.entries.into_iter().map(|entry| WarcEntry {
        offset: entry.offset,
        length: entry.length,
        kind: entry.kind,
        target: entry.target,
        problem: entry.problem,
        cdxj: entry.cdxj,
    });
    (entries.collect(), found.whole)
}

/// (data, moves, index lines, bytes that were read)
type Copied<'py> = (
    Bound<'py, PyBytes>,
    Vec<(u64, u64, u64)>,
    Vec<String>,
    usize,
);

/// Copies records into another file, some without their bodies.
#[pyfunction]
#[pyo3(signature = (settings, data, *, base_offset, new_offset, file_name, without_body))]
fn warc_copy<'py>(
    py: Python<'py>,
    settings: &WarcSettings,
    data: PyBackedBytes,
    base_offset: u64,
    new_offset: u64,
    file_name: &str,
    without_body: Vec<u64>,
) -> PyResult<Copied<'py>> {
    let copied = py.detach(|| {
        let without_body = without_body.into_iter().collect();
        let place = warc::Copy {
            from: base_offset,
            to: new_offset,
            file_name,
            without_body: &without_body,
        };
        warc::copy(&settings.0, &data, place)
    });
    let copied = copied.map_err(to_python)?;
    let data = PyBytes::new(py, &copied.data);
    Ok((data, copied.moves, copied.cdxj, copied.whole))
}

type Read<'py> = (Bound<'py, PyDict>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Reads at most `cap` bytes of the body.
#[pyfunction]
#[pyo3(signature = (data, *, cap))]
fn warc_read(py: Python<'_>, data: PyBackedBytes, cap: usize) -> PyResult<Read<'_>> {
    let content = py.detach(|| warc::read(&data, cap)).map_err(to_python)?;
    let fields = PyDict::new(py);
    for (name, value) in content.fields {
        fields.set_item(name, value)?;
    }
    Ok((
        fields,
        PyBytes::new(py, &content.http_head),
        PyBytes::new(py, &content.body),
    ))
}

/// The content of a record; or the URL whose record has the body; or neither, if the body was not archived.
#[pyfunction]
#[pyo3(signature = (reader, url, record, original = None, *, cap, listed_as = None))]
fn warc_page(
    py: Python<'_>,
    reader: &Reader,
    url: &str,
    record: PyBackedBytes,
    original: Option<PyBackedBytes>,
    cap: usize,
    listed_as: Option<&str>,
) -> PyResult<(Option<Py<PyAny>>, Option<String>)> {
    let url = url::parse(url, None).map_err(|reason| to_python(Error::from(reason)))?;
    let original = original.as_deref();
    let archived = py.detach(|| {
        let read = warc::page(&reader.reader, &url, &record, original, cap, listed_as);
        read.inspect(|archived| read_ahead(reader, archived, url.as_str()))
    });
    Ok(match archived.map_err(to_python)? {
        warc::Archived::Page(page) => {
            let page = Py::new(py, Page(Arc::new(*page)))?;
            (Some(page.into_any()), None)
        }
        warc::Archived::Sitemap(sitemap) => {
            let listing = Py::new(py, Listing(Arc::new(sitemap)))?;
            (Some(listing.into_any()), None)
        }
        warc::Archived::Elsewhere(url) => (None, Some(url)),
        warc::Archived::Nothing => (None, None),
    })
}

/// Reads ahead for the links, which the event loop admits next.
fn read_ahead(reader: &Reader, archived: &warc::Archived, url: &str) {
    match archived {
        warc::Archived::Page(page) => {
            let links = page.links.iter().map(|link| (link.href.as_str(), link.key));
            reader.read_ahead(links, url);
        }
        warc::Archived::Sitemap(sitemap) => {
            let entries = sitemap.entries.iter();
            reader.read_ahead(entries.map(|entry| (entry.href.as_str(), entry.key)), url);
        }
        warc::Archived::Elsewhere(_) | warc::Archived::Nothing => {}
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<WarcSettings>()?;
    module.add_class::<WarcBlock>()?;
    module.add_class::<WarcEntry>()?;
    module.add_function(wrap_pyfunction!(warc_information, module)?)?;
    module.add_function(wrap_pyfunction!(warc_block, module)?)?;
    module.add_function(wrap_pyfunction!(warc_scan, module)?)?;
    module.add_function(wrap_pyfunction!(warc_page, module)?)?;
    module.add_function(wrap_pyfunction!(warc_copy, module)?)?;
    module.add_function(wrap_pyfunction!(warc_read, module)?)
}
