//! Python bindings of [`crate::rank`].

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use rustc_hash::FxHashSet;

use super::error::to_python;
use super::fetched::Fetched;
use super::text::Text;
use super::url::Identity;
use crate::error::Error;
use crate::links;
use crate::rank::{self, Options, Ranked, Weights};
use crate::url::Key;

/// Between two looks at signals, and two calls of `progress`.
const SHOWN_EVERY: Duration = Duration::from_millis(100);

fn key_of(bytes: &[u8]) -> PyResult<Key> {
    Key::try_from(bytes).map_err(|_| to_python(Error::Invalid(String::from("a key has 16 bytes"))))
}

#[pyclass(frozen, module = "hondius._native")]
struct EdgeLog {
    log: Mutex<rank::EdgeLog>,
    directory: PathBuf,
    is_stopped: AtomicBool,
}

#[pymethods]
impl EdgeLog {
    #[new]
    #[pyo3(signature = (directory, *, follow_nofollow=false))]
    fn new(directory: String, follow_nofollow: bool) -> Self {
        let directory = PathBuf::from(directory);
        EdgeLog {
            log: Mutex::new(rank::EdgeLog::new(&directory, follow_nofollow)),
            directory,
            is_stopped: AtomicBool::new(false),
        }
    }

    #[getter]
    fn pages(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.log.lock().pages())
    }

    #[getter]
    fn edges(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.log.lock().edges())
    }

    fn add_fetched(&self, py: Python<'_>, fetched: &Bound<'_, Fetched>) -> PyResult<()> {
        let fetched = fetched.get().native().clone();
        let Some(page) = &fetched.page else {
            return Ok(());
        };
        let added = py.detach(|| {
            let mut log = self.log.lock();
            log.add_page(fetched.key, &fetched.href, page.directives, &page.links)
        });
        added.map_err(to_python)
    }

    fn add_block(
        &self,
        py: Python<'_>,
        block: PyBackedBytes,
        indexes: Vec<usize>,
        identity: &Identity,
    ) -> PyResult<usize> {
        let added = py.detach(|| {
            let pages = links::read(&block, &identity.0)?;
            let mut log = self.log.lock();
            let chosen = indexes.iter().filter_map(|index| pages.get(*index));
            let mut added = 0;
            for page in chosen {
                log.add_page(page.key, &page.href, page.directives, &page.links)?;
                added += 1;
            }
            Ok(added)
        });
        added.map_err(to_python)
    }

    fn add_redirect(&self, key: &[u8], href: &str, target: &[u8], to: &str) -> PyResult<()> {
        let (key, target) = (key_of(key)?, key_of(target)?);
        let added = self.log.lock().add_redirect(key, href, target, to);
        added.map_err(to_python)
    }

    fn add_edges(&self, py: Python<'_>, pairs: PyBackedBytes) -> PyResult<()> {
        let (pairs, rest) = pairs.as_chunks::<32>();
        if !rest.is_empty() {
            let what = String::from("an edge has 32 bytes: two keys");
            return Err(to_python(Error::Invalid(what)));
        }
        let added = py.detach(|| {
            let pairs: Vec<(Key, Key)> = pairs.iter().map(split_pair).collect();
            self.log.lock().add_edges(&pairs)
        });
        added.map_err(to_python)
    }

    /// Ends a computation that another thread has begun, or will begin.
    fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    #[pyo3(signature = (to=None, *, note=None, memory=268_435_456, tolerance=1e-9, top=1000, damping=0.85,
                        progress=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python contract"
    )]
    fn compute(
        &self,
        py: Python<'_>,
        to: Option<String>,
        note: Option<PyBackedBytes>,
        memory: usize,
        tolerance: f64,
        top: usize,
        damping: f64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Ranks> {
        let options = Options {
            memory: memory.max(rank::LEAST_MEMORY),
            damping: damping.clamp(0.0, 0.999),
            tolerance: tolerance.max(1e-15),
            top: top.min(1_000_000),
            ..Options::default()
        };
        let mut raised = None;
        let mut shown = Instant::now();
        let computed = py.detach(|| {
            let records = self.log.lock().read()?;
            let mut show = |doing: &'static str, share: f64| {
                if self.is_stopped.load(Ordering::Relaxed) {
                    return Err(stopped());
                }
                if shown.elapsed() < SHOWN_EVERY {
                    return Ok(());
                }
                shown = Instant::now();
                Python::attach(|py| {
                    py.check_signals()?;
                    match &progress {
                        Some(call) => call.call1(py, (doing, share)).map(drop),
                        None => Ok(()),
                    }
                })
                .map_err(|error| {
                    raised = Some(error);
                    stopped()
                })
            };
            rank::compute(
                records,
                &self.directory,
                to.as_deref().map(Path::new),
                note.as_deref().unwrap_or_default(),
                &options,
                &mut show,
            )
        });
        match (computed, raised) {
            (_, Some(error)) => Err(error),
            (computed, None) => Ok(Ranks(Arc::new(computed.map_err(to_python)?))),
        }
    }
}

fn split_pair(pair: &[u8; 32]) -> (Key, Key) {
    let (mut source, mut target) = (Key::default(), Key::default());
    source.copy_from_slice(&pair[..16]);
    target.copy_from_slice(&pair[16..]);
    (source, target)
}

fn stopped() -> Error {
    Error::Invalid(String::from("the computation of page ranks was stopped"))
}

type Found = Option<(f64, f64)>;

fn shown(ranked: Option<Ranked>) -> Found {
    ranked.map(|ranked| (ranked.rank, ranked.percentile))
}

#[pyclass(frozen, module = "hondius._native")]
struct Ranks(Arc<rank::Ranks>);

#[pymethods]
impl Ranks {
    #[staticmethod]
    fn open(py: Python<'_>, path: String) -> PyResult<Self> {
        let opened = py.detach(|| rank::Ranks::open(Path::new(&path)));
        Ok(Ranks(Arc::new(opened.map_err(to_python)?)))
    }

    #[getter]
    fn note<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.note())
    }

    /// (nodes, edges, iterations, change)
    #[getter]
    fn page_facts(&self) -> (u64, u64, u64, f64) {
        let facts = self.0.of_pages();
        (facts.nodes, facts.edges, facts.iterations, facts.change)
    }

    #[getter]
    fn host_facts(&self) -> (u64, u64, u64, f64) {
        let facts = self.0.of_hosts();
        (facts.nodes, facts.edges, facts.iterations, facts.change)
    }

    fn page(&self, key: &[u8]) -> PyResult<Found> {
        let key = key_of(key)?;
        self.0.page(&key).map(shown).map_err(to_python)
    }

    fn host(&self, name: Text) -> PyResult<Found> {
        self.0.host(&name.0).map(shown).map_err(to_python)
    }

    fn top_pages<'py>(
        &self,
        py: Python<'py>,
        most: usize,
    ) -> PyResult<Vec<(Bound<'py, PyBytes>, f64, f64)>> {
        let top = py.detach(|| self.0.top_pages(most)).map_err(to_python)?;
        let top = top.into_iter();
        Ok(top
            .map(|(key, found)| (PyBytes::new(py, &key), found.rank, found.percentile))
            .collect())
    }

    fn top_hosts(&self, py: Python<'_>, most: usize) -> PyResult<Vec<(String, f64, f64)>> {
        let top = py.detach(|| self.0.top_hosts(most)).map_err(to_python)?;
        let top = top.into_iter();
        Ok(top
            .map(|(name, found)| (name, found.rank, found.percentile))
            .collect())
    }
}

/// Ranks, as factors of priorities.
#[pyclass(frozen, module = "hondius._native")]
pub struct RankFactors(pub Arc<rank::Factors>);

#[pymethods]
impl RankFactors {
    #[new]
    #[pyo3(signature = (ranks, *, page_rank, host_authority, depth, rest, sitemap_bonus, news_bonus))]
    fn new(
        ranks: &Bound<'_, Ranks>,
        page_rank: f64,
        host_authority: f64,
        depth: f64,
        rest: f64,
        sitemap_bonus: f64,
        news_bonus: f64,
    ) -> Self {
        let weights = Weights {
            page_rank,
            host_authority,
            depth,
            rest,
            sitemap_bonus,
            news_bonus,
        };
        RankFactors(Arc::new(rank::Factors::new(ranks.get().0.clone(), weights)))
    }

    fn rate_links<'py>(
        &self,
        py: Python<'py>,
        fetched: &Bound<'_, Fetched>,
        depth: u32,
    ) -> PyResult<Option<(f64, Option<Bound<'py, PyBytes>>)>> {
        let fetched = fetched.get().native().clone();
        let Some(page) = &fetched.page else {
            return Ok(None);
        };
        let rated = py.detach(|| self.0.rate_links(&fetched.key, &fetched.href, page, depth));
        let (usual, steps) = rated.map_err(to_python)?;
        Ok(Some((usual, steps.map(|steps| PyBytes::new(py, &steps)))))
    }

    #[pyo3(signature = (host, depth, *, from_sitemap=false, is_news=false))]
    fn rate(&self, host: Text, depth: u32, from_sitemap: bool, is_news: bool) -> PyResult<f64> {
        self.0
            .rate(&host.0, depth, from_sitemap, is_news)
            .map_err(to_python)
    }
}

#[pyfunction]
#[pyo3(signature = (priority, *, is_news=false))]
fn mark_computed(priority: f64, is_news: bool) -> f64 {
    rank::mark_computed(priority, is_news)
}

/// The hrefs of links to these keys, in a block of link segments: one for each key that it has.
#[pyfunction]
fn find_targets<'py>(
    py: Python<'py>,
    block: PyBackedBytes,
    keys: Vec<PyBackedBytes>,
    identity: &Identity,
) -> PyResult<Vec<(Bound<'py, PyBytes>, String)>> {
    let wanted = keys.iter().map(|key| key_of(key));
    let mut wanted = wanted.collect::<PyResult<FxHashSet<Key>>>()?;
    let found = py.detach(|| {
        let pages = links::read(&block, &identity.0)?;
        let links = pages.into_iter().flat_map(|page| page.links);
        let found = links.filter(|link| wanted.remove(&link.key));
        Ok(found.map(|link| (link.key, link.href)).collect::<Vec<_>>())
    });
    let found = found.map_err(to_python)?.into_iter();
    Ok(found
        .map(|(key, href)| (PyBytes::new(py, &key), href))
        .collect())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<EdgeLog>()?;
    module.add_class::<Ranks>()?;
    module.add_class::<RankFactors>()?;
    module.add_function(wrap_pyfunction!(find_targets, module)?)?;
    module.add_function(wrap_pyfunction!(mark_computed, module)?)
}
