//! Python bindings of [`crate::engine`].

use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::error::to_python;
use super::fetched::Fetched;
use super::page::Reader;
use crate::engine::attempts;
use crate::engine::deadlines::Timeouts;
use crate::engine::failure::cause;
use crate::engine::fetch::{Job, refused};
use crate::engine::overrides::parse_address;
use crate::engine::queue::WaitForResult;
use crate::engine::request::{self, Header};
use crate::engine::settings::{Caps, Settings};
use crate::engine::spent::Step;
use crate::engine::{self, Outcome};
use crate::error::{Error, Result};
use crate::fetched::{Fetched as Fetch, Kind, is_sendable};

/// Engines that Python has not closed. Their threads call into Python, which must not happen during the shutdown of the
/// interpreter, so they are closed before it.
static OPEN: Mutex<Vec<Weak<engine::Engine>>> = Mutex::new(Vec::new());

#[pyclass(frozen, module = "hondius._native")]
pub struct Engine(Arc<engine::Engine>);

pub type Request = (
    u64,
    [u8; 16],
    String,
    String,
    String,
    Vec<(String, Vec<u8>)>,
);

/// The kind of a request for a page that the user named: it may be a sitemap or a feed (D1).
const SEED: &str = "seed";

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (reader, notify, *, user_agent, headers=vec![], proxies=vec![], sources=vec![], overrides=vec![],
                        resolvers=vec![], allow_private=vec![], ca_file=None, verify_tls=true,
                        connect_timeout=10.0, read_timeout=30.0, total_timeout=60.0,
                        page_cap=10 * 1024 * 1024, sitemap_cap=50_000_000, robots_cap=500 * 1024,
                        header_cap=64 * 1024, body_budget=128 * 1024 * 1024, idle_connections=1024,
                        content_types=vec![], address_gap=0.0, attempts_file=None, spill_directory=None, threads=0),
           text_signature = "(reader, notify, *, user_agent, headers=(), proxies=(), sources=(), overrides=(), resolvers=(), \
                             allow_private=(), ca_file=None, verify_tls=True, connect_timeout=10.0, \
                             read_timeout=30.0, total_timeout=60.0, page_cap=10485760, sitemap_cap=50000000, \
                             robots_cap=512000, header_cap=65536, body_budget=134217728, \
                             idle_connections=1024, content_types=(), address_gap=0.0, attempts_file=None, \
                             spill_directory=None, threads=0)")]
    // One argument a setting: Python sees keywords.
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        reader: &Reader,
        notify: Py<PyAny>,
        user_agent: String,
        headers: Vec<(String, String, String)>,
        proxies: Vec<(String, String)>,
        sources: Vec<(String, String)>,
        overrides: Vec<(String, String)>,
        resolvers: Vec<String>,
        allow_private: Vec<String>,
        ca_file: Option<String>,
        verify_tls: bool,
        connect_timeout: f64,
        read_timeout: f64,
        total_timeout: f64,
        page_cap: usize,
        sitemap_cap: usize,
        robots_cap: usize,
        header_cap: usize,
        body_budget: usize,
        idle_connections: usize,
        content_types: Vec<String>,
        address_gap: f64,
        attempts_file: Option<String>,
        spill_directory: Option<String>,
        threads: usize,
    ) -> PyResult<Self> {
        let timeouts = Timeouts {
            connect: seconds(connect_timeout).map_err(to_python)?,
            read: seconds(read_timeout).map_err(to_python)?,
            total: seconds(total_timeout).map_err(to_python)?,
        };
        let settings = Settings {
            user_agent,
            headers,
            proxies,
            sources,
            overrides,
            resolvers,
            allow_private,
            ca_file: ca_file.map(Into::into),
            verify_tls,
            timeouts,
            caps: Caps {
                page: page_cap,
                sitemap: sitemap_cap,
                robots: robots_cap,
                headers: header_cap,
            },
            body_budget,
            idle_connections,
            content_types,
            address_gap: gap(address_gap).map_err(to_python)?,
            attempts_file: attempts_file.map(Into::into),
            spill_directory: spill_directory.map(Into::into),
            threads,
        };
        let analyser = reader.analyser();
        let engine = py.detach(|| {
            engine::Engine::new(settings, analyser, move |wait_for_result| {
                listen(wait_for_result, &notify)
            })
        });
        let engine = Arc::new(engine.map_err(to_python)?);
        let mut open = OPEN.lock();
        open.retain(|engine| engine.strong_count() > 0);
        open.push(Arc::downgrade(&engine));
        Ok(Engine(engine))
    }

    fn resolve(&self, py: Python<'_>, requests: Vec<(u64, String)>) -> PyResult<()> {
        py.detach(|| self.0.resolve(requests)).map_err(to_python)
    }

    /// Invalid requests come back as failures; the others are sent.
    #[pyo3(signature = (requests, within=None))]
    fn submit(&self, py: Python<'_>, requests: Vec<Request>, within: Option<f64>) -> PyResult<()> {
        py.detach(|| {
            let within = within.map(seconds).transpose()?;
            let (jobs, refused) = jobs(requests);
            let jobs = jobs.into_iter().map(|job| Job { within, ..job });
            self.0.submit(jobs.collect())?;
            self.0.refuse(refused);
            Ok(())
        })
        .map_err(to_python)
    }

    fn cancel(&self, py: Python<'_>, requests: Vec<Request>, cause: &str) -> PyResult<()> {
        py.detach(|| {
            let known = cause::OF_A_CANCEL.into_iter().find(|known| *known == cause);
            let cause = known.ok_or_else(|| {
                Error::Invalid(format!("{cause} is no cause to call a request off"))
            })?;
            let (jobs, refused) = jobs(requests);
            self.0.cancel(&jobs, cause);
            self.0.refuse(refused);
            Ok(())
        })
        .map_err(to_python)
    }

    fn cancel_look_ups(&self, py: Python<'_>, requests: Vec<(u64, String)>) {
        py.detach(|| self.0.cancel_look_ups(requests));
    }

    fn collect(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let outcomes = self.0.collect();
        outcomes
            .into_iter()
            .map(|outcome| match outcome {
                Outcome::Fetched(fetched) => Ok(Py::new(py, Fetched::new(fetched))?.into_any()),
                Outcome::Resolved(resolved) => Ok(Py::new(py, Resolved(resolved))?.into_any()),
            })
            .collect()
    }

    fn close(&self, py: Python<'_>) {
        py.detach(|| self.0.close());
    }

    #[getter]
    fn in_flight(&self) -> usize {
        self.0.in_flight()
    }

    #[getter]
    fn bodies_in_memory(&self) -> usize {
        self.0.bodies_in_memory()
    }

    #[getter]
    fn connections_opened(&self) -> u64 {
        self.0.connections_opened()
    }

    fn spent(&self) -> [(&'static str, f64); 3] {
        let steps = [
            ("decode", Step::Decode),
            ("hash", Step::Hash),
            ("analyse", Step::Analyse),
        ];
        steps.map(|(name, step)| (name, self.0.spent().seconds(step)))
    }
}

/// Closes the engine without the GIL: its threads may wait for the GIL, which the caller holds.
impl Drop for Engine {
    fn drop(&mut self) {
        Python::try_attach(|py| py.detach(|| self.0.close()));
    }
}

/// Attaches to Python once, and detaches while it waits: attaching again for every notification would cost as much as
/// the call.
fn listen(wait_for_result: &WaitForResult<'_>, notify: &Py<PyAny>) {
    Python::try_attach(|py| {
        while py.detach(wait_for_result) {
            if let Err(error) = notify.call0(py) {
                error.write_unraisable(py, Some(notify.bind(py)));
            }
        }
    });
}

#[pyfunction]
fn close_engines(py: Python<'_>) {
    let open = std::mem::take(&mut *OPEN.lock());
    py.detach(|| {
        for engine in open.iter().filter_map(Weak::upgrade) {
            engine.close();
        }
    });
}

/// Splits requests into valid ones and the failures of the others.
fn jobs(requests: Vec<Request>) -> (Vec<Job>, Vec<Fetch>) {
    let mut jobs = Vec::with_capacity(requests.len());
    let mut refused = Vec::new();
    for request in requests {
        match job(request) {
            Ok(job) => jobs.push(job),
            Err(failed) => refused.push(*failed),
        }
    }
    (jobs, refused)
}

/// Converts a request, or returns its failure. A header whose value cannot be sent is omitted: it came from a server,
/// and the page is requested without it.
pub fn job(request: Request) -> std::result::Result<Job, Box<Fetch>> {
    let (ticket, key, href, address, kind, mut extra) = request;
    extra.retain(|(_, value)| is_sendable(value));
    let is_seed = kind == SEED;
    let kind = if is_seed {
        Some(Kind::Page)
    } else {
        Kind::from_name(&kind)
    };
    match parts(&href, &address, kind, &extra) {
        Ok((url, address, kind)) => Ok(Job {
            ticket,
            key,
            url,
            href,
            address,
            kind,
            is_seed,
            extra,
            within: None,
        }),
        Err(error) => {
            let kind = kind.unwrap_or(Kind::Page);
            Err(Box::new(refused(
                ticket,
                key,
                href,
                kind,
                error.to_string(),
            )))
        }
    }
}

fn parts(
    href: &str,
    address: &str,
    kind: Option<Kind>,
    extra: &[Header],
) -> Result<(::url::Url, SocketAddr, Kind)> {
    let kind = kind.ok_or_else(|| {
        Error::Invalid("a request is for a page, a seed, robots or a sitemap".into())
    })?;
    for (name, _) in extra {
        request::check_name(name)?;
    }
    let url = crate::url::parse(href, None).map_err(Error::from)?;
    Ok((url, parse_address(address)?, kind))
}

fn gap(value: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(value)
        .map_err(|_| Error::Invalid(format!("{value} is no gap in seconds")))
}

fn seconds(value: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(value)
        .ok()
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| Error::Invalid(format!("{value} is no time-out in seconds")))
}

#[pyclass(frozen, module = "hondius._native")]
pub struct Resolved(engine::Resolved);

#[pymethods]
impl Resolved {
    #[getter]
    fn ticket(&self) -> u64 {
        self.0.ticket
    }

    #[getter]
    fn host(&self) -> &str {
        &self.0.host
    }

    #[getter]
    fn addresses(&self) -> Vec<String> {
        self.0.addresses.iter().map(ToString::to_string).collect()
    }

    #[getter]
    fn expires_at(&self) -> f64 {
        self.0.expires_at
    }

    #[getter]
    fn failure(&self) -> Option<&'static str> {
        self.0.failure.as_ref().map(|failure| failure.cause)
    }

    #[getter]
    fn detail(&self) -> &str {
        self.0
            .failure
            .as_ref()
            .map_or("", |failure| &failure.detail)
    }
}

#[pyclass(frozen, module = "hondius._native")]
pub struct Attempt(attempts::Attempt);

#[pymethods]
impl Attempt {
    #[getter]
    fn ended(&self) -> bool {
        self.0.ended
    }

    #[getter]
    fn sent(&self) -> bool {
        self.0.sent
    }

    #[getter]
    fn at(&self) -> f64 {
        self.0.at
    }

    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.key)
    }

    #[getter]
    fn host_hash(&self) -> u64 {
        self.0.host_hash
    }

    #[getter]
    fn address(&self) -> String {
        self.0.address.to_string()
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    #[getter]
    fn status(&self) -> u16 {
        self.0.status
    }
}

#[pyfunction]
fn read_attempts(py: Python<'_>, data: &[u8]) -> (Vec<Attempt>, usize) {
    let (attempts, length) = py.detach(|| attempts::read(data));
    (attempts.into_iter().map(Attempt).collect(), length)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Engine>()?;
    module.add_class::<Resolved>()?;
    module.add_class::<Attempt>()?;
    module.add_function(wrap_pyfunction!(read_attempts, module)?)?;
    let at_exit = wrap_pyfunction!(close_engines, module)?;
    let atexit = module.py().import("atexit")?;
    atexit.call_method1("register", (at_exit,)).map(drop)
}
