//! Skin of [`crate::url_store`].

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use parking_lot::RwLock;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict};

use super::error::to_python;
use super::fetched::Fetched;
use super::page::Page;
use super::scope::LinkPolicy;
use super::sitemap::Listing;
use super::text::Text;
use crate::error::{Error, Result, or_damage};
use crate::fetched::Kind;
use crate::scope;
use crate::sitemap::{self, Listed, Sitemap};
use crate::url::{Key, host_of_origin, split_origin};
use crate::url_store::attributes::{Attributes, Via};
use crate::url_store::budgets::{Answer, Limits, Visit, Visited};
use crate::url_store::{self, Admitted, Awakened, Damage, Refused, Settings, Synced, discoveries};

/// The directory that is none: the store lives in memory and dies with its object.
const IN_MEMORY: &str = ":memory:";

#[pyclass(frozen, get_all, module = "hondius._native")]
pub struct Discoveries {
    data: Py<PyBytes>,
    count: u64,
    closer: Py<PyBytes>,
    closer_count: u64,
    refused: Vec<(String, Py<PyBytes>, &'static str)>,
    known: u64,
    outside: u64,
    out_of_scope: u64,
    counted: Vec<(String, &'static str, u64)>,
}

impl Discoveries {
    fn new(py: Python<'_>, admitted: Admitted) -> Self {
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
        }
    }
}

/// What both a discovered and a queued URL show.
macro_rules! url_class {
    ($name:ident { $($rest:tt)* }) => {
        #[pyclass(frozen, module = "hondius._native")]
        pub struct $name {
            href: String,
            key: Key,
            attributes: Attributes,
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
                if self.attributes.kind == Kind::Sitemap { "sitemap" } else { "page" }
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

    /// The same URL under another href, one hop further.
    fn renamed(&self, href: Text) -> QueuedUrl {
        let attributes = Attributes { hops: self.attributes.hops.saturating_add(1), ..self.attributes };
        QueuedUrl { href: href.0, key: self.key, attributes }
    }
});

#[pyfunction]
fn decode_discoveries(data: &[u8]) -> PyResult<Vec<DiscoveredUrl>> {
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

/// What a store lies in.
#[derive(FromPyObject)]
enum Place {
    Tree(Py<MemoryTree>),
    Directory(String),
}

#[pyclass(frozen, module = "hondius._native")]
pub struct MemoryTree(Arc<url_store::MemoryTree>);

#[pymethods]
impl MemoryTree {
    #[new]
    fn new() -> Self {
        MemoryTree(Arc::new(url_store::MemoryTree::losing()))
    }

    #[getter]
    fn unsynced(&self) -> usize {
        self.0.unsynced()
    }

    fn lose(&self, kept: usize) {
        self.0.lose(kept);
    }
}

/// What a run allows hosts and domains to bring.
#[pyclass(frozen, module = "hondius._native")]
pub struct HostLimits(Limits);

#[pymethods]
impl HostLimits {
    #[new]
    #[pyo3(signature = (*, urls_per_shape, new_per_minute, pages_per_host, stale_fetches, hosts_per_domain,
                        sitemaps_per_host, kept_refusals))]
    fn new(
        urls_per_shape: u64,
        new_per_minute: u64,
        pages_per_host: u64,
        stale_fetches: u16,
        hosts_per_domain: u64,
        sitemaps_per_host: u64,
        kept_refusals: u64,
    ) -> Self {
        HostLimits(Limits {
            urls_per_shape,
            new_per_minute,
            pages_per_host,
            stale_fetches,
            hosts_per_domain,
            sitemaps_per_host,
            kept_refusals,
        })
    }
}

/// `None` once it is closed.
#[pyclass(frozen, module = "hondius._native")]
pub struct UrlStore(RwLock<Option<url_store::UrlStore>>);

impl UrlStore {
    /// Does `work` without the GIL. Closing waits for it.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&url_store::UrlStore) -> Result<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| match self.0.read().as_ref() {
            Some(store) => or_damage("the URL store", || work(store)),
            None => Err(Error::Invalid("the URL store is closed".into())),
        })
        .map_err(to_python)
    }
}

#[pymethods]
impl UrlStore {
    #[new]
    #[pyo3(signature = (directory, *, capacity=10_000_000, cached_keys=1_000_000, memory=268_435_456, limits=None))]
    fn new(
        py: Python<'_>,
        directory: Place,
        capacity: u64,
        cached_keys: usize,
        memory: u64,
        limits: Option<Bound<'_, HostLimits>>,
    ) -> PyResult<Self> {
        let settings = Settings {
            capacity,
            cached_keys,
            memory,
            limits: limits.map_or(Limits::NONE, |limits| limits.get().0),
        };
        let tree = match &directory {
            Place::Tree(tree) => Some(tree.get().0.clone()),
            Place::Directory(_) => None,
        };
        let store = py.detach(|| match (tree, &directory) {
            (Some(tree), _) => url_store::UrlStore::on(tree, settings),
            (None, Place::Directory(name)) if name != IN_MEMORY => {
                url_store::UrlStore::open(Path::new(name), settings)
            }
            _ => url_store::UrlStore::in_memory(settings),
        });
        Ok(UrlStore(RwLock::new(Some(store.map_err(to_python)?))))
    }

    #[getter]
    fn applied(&self, py: Python<'_>) -> PyResult<u64> {
        self.run(py, |store| Ok(store.applied()))
    }

    #[pyo3(signature = (urls, policy, *, depth, priority, discovered_at, max_depth, via, kind="page", hops=0,
                        source=None, found_on=None, is_seed=false, known_only=false))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python contract"
    )]
    fn admit(
        &self,
        py: Python<'_>,
        urls: Vec<(Text, PyBackedBytes)>,
        policy: Option<&Bound<'_, LinkPolicy>>,
        depth: u32,
        priority: f64,
        discovered_at: f64,
        max_depth: Option<u32>,
        via: &str,
        kind: &str,
        hops: u32,
        source: Option<&[u8]>,
        found_on: Option<&str>,
        is_seed: bool,
        known_only: bool,
    ) -> PyResult<Discoveries> {
        let kind = kind_of(kind)?;
        let attributes = Attributes {
            priority,
            depth,
            hops,
            via: via_of(via)?,
            kind,
            source: source.map(key_of).transpose()?,
            discovered_at,
            is_seed,
            parked: false,
            deferred: false,
            foreign: false,
        };
        let urls = urls
            .into_iter()
            .map(|(href, key)| Ok((href.0, key_of(&key)?)))
            .collect::<PyResult<Vec<_>>>()?;
        let policy = policy.map(|policy| policy.get().0.clone());
        let admitted = self.run(py, |store| {
            let rows = urls.iter().map(|(href, key)| (href.as_str(), *key, kind));
            let judge = policy
                .as_deref()
                .map(|policy| judge(policy, discovered_at, is_seed));
            store.admit_all(
                rows,
                attributes,
                max_depth,
                judge.as_ref().map(|judge| judge as url_store::Policy<'_>),
                found_on,
                known_only,
            )
        })?;
        Ok(Discoveries::new(py, admitted))
    }

    #[pyo3(signature = (fetched, policy, *, depth, priority, discovered_at, max_depth, follow_nofollow=false, skip=0,
                        most=usize::MAX),
           text_signature = "($self, fetched, policy, *, depth, priority, discovered_at, max_depth, \
                             follow_nofollow=False, skip=0, most=...)")]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python contract"
    )]
    fn admit_links(
        &self,
        py: Python<'_>,
        fetched: &Bound<'_, Fetched>,
        policy: &Bound<'_, LinkPolicy>,
        depth: u32,
        priority: f64,
        discovered_at: f64,
        max_depth: Option<u32>,
        follow_nofollow: bool,
        skip: usize,
        most: usize,
    ) -> PyResult<Discoveries> {
        let fetched = fetched.get().native().clone();
        let policy = policy.get().0.clone();
        let attributes = Attributes {
            priority,
            depth,
            hops: 0,
            via: Via::Link,
            kind: Kind::Page,
            source: Some(fetched.key),
            discovered_at,
            is_seed: false,
            parked: false,
            deferred: false,
            foreign: false,
        };
        let admitted = self.run(py, |store| match &fetched.page {
            Some(page) => store.admit_links(
                page,
                skip..skip.saturating_add(most),
                attributes,
                max_depth,
                Some(&judge(&policy, discovered_at, false)),
                Some(host_of(&fetched.href)),
                follow_nofollow,
                false,
            ),
            None => Ok(Admitted::default()),
        })?;
        Ok(Discoveries::new(py, admitted))
    }

    #[pyo3(signature = (fetched, listed, policy, *, depth, priority, discovered_at, max_depth, via, kind="page",
                        skip=0, most=sitemap::MAX_ENTRIES),
           text_signature = "($self, fetched, listed, policy, *, depth, priority, discovered_at, max_depth, via, \
                             kind='page', skip=0, most=50000)")]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python contract"
    )]
    fn admit_listed(
        &self,
        py: Python<'_>,
        fetched: &Bound<'_, Fetched>,
        listed: &str,
        policy: &Bound<'_, LinkPolicy>,
        depth: u32,
        priority: f64,
        discovered_at: f64,
        max_depth: Option<u32>,
        via: &str,
        kind: &str,
        skip: usize,
        most: usize,
    ) -> PyResult<Option<Discoveries>> {
        let listed = Listed::from_name(listed)
            .ok_or_else(|| invalid(format!("sitemaps do not list {listed}")))?;
        let kind = kind_of(kind)?;
        let fetched = fetched.get().native().clone();
        let policy = policy.get().0.clone();
        let attributes = Attributes {
            priority,
            depth,
            hops: 0,
            via: via_of(via)?,
            kind,
            source: Some(fetched.key),
            discovered_at,
            is_seed: false,
            parked: false,
            deferred: false,
            foreign: false,
        };
        let piece = (listed, skip, most);
        let admitted = self.run(py, |store| match &fetched.sitemap {
            Some(sitemap) => {
                let found_on = Some(host_of(&fetched.href));
                admit_piece(
                    store, sitemap, piece, attributes, max_depth, &policy, found_on,
                )
            }
            None => Ok(None),
        })?;
        Ok(admitted.map(|admitted| Discoveries::new(py, admitted)))
    }

    #[pyo3(signature = (listing, source, listed, policy, *, priority, discovered_at, max_depth, found_on, skip=0,
                        most=sitemap::MAX_ENTRIES),
           text_signature = "($self, listing, source, listed, policy, *, priority, discovered_at, max_depth, found_on, \
                             skip=0, most=50000)")]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python contract"
    )]
    fn admit_archived_listing(
        &self,
        py: Python<'_>,
        listing: &Bound<'_, Listing>,
        source: &[u8],
        listed: &str,
        policy: &Bound<'_, LinkPolicy>,
        priority: f64,
        discovered_at: f64,
        max_depth: Option<u32>,
        found_on: &str,
        skip: usize,
        most: usize,
    ) -> PyResult<Option<Discoveries>> {
        let listed = Listed::from_name(listed)
            .ok_or_else(|| invalid(format!("sitemaps do not list {listed}")))?;
        let sitemap = listing.get().0.clone();
        let policy = policy.get().0.clone();
        let attributes = Attributes {
            priority,
            depth: 1,
            hops: 0,
            via: Via::Sitemap,
            kind: Kind::Page,
            source: Some(key_of(source)?),
            discovered_at,
            is_seed: false,
            parked: false,
            deferred: false,
            foreign: false,
        };
        let piece = (listed, skip, most);
        let admitted = self.run(py, |store| {
            let found_on = Some(found_on);
            admit_piece(
                store, &sitemap, piece, attributes, max_depth, &policy, found_on,
            )
        })?;
        Ok(admitted.map(|admitted| Discoveries::new(py, admitted)))
    }

    #[pyo3(signature = (page, source, policy, *, depth, priority, discovered_at, max_depth, known_only,
                        found_on=None, follow_nofollow=false))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python contract"
    )]
    fn admit_archived(
        &self,
        py: Python<'_>,
        page: &Bound<'_, Page>,
        source: &[u8],
        policy: &Bound<'_, LinkPolicy>,
        depth: u32,
        priority: f64,
        discovered_at: f64,
        max_depth: Option<u32>,
        known_only: bool,
        found_on: Option<&str>,
        follow_nofollow: bool,
    ) -> PyResult<Discoveries> {
        let page = page.get().0.clone();
        let policy = policy.get().0.clone();
        let attributes = Attributes {
            priority,
            depth,
            hops: 0,
            via: Via::Link,
            kind: Kind::Page,
            source: Some(key_of(source)?),
            discovered_at,
            is_seed: false,
            parked: false,
            deferred: false,
            foreign: false,
        };
        let admitted = self.run(py, |store| {
            let judge = judge(&policy, discovered_at, false);
            store.admit_links(
                &page,
                0..usize::MAX,
                attributes,
                max_depth,
                Some(&judge),
                found_on,
                follow_nofollow,
                known_only,
            )
        })?;
        Ok(Discoveries::new(py, admitted))
    }

    /// A URL that is handed out, on the shortest path that is known by now.
    fn closest<'py>(
        &self,
        py: Python<'py>,
        url: Bound<'py, QueuedUrl>,
    ) -> PyResult<Bound<'py, QueuedUrl>> {
        let held = url.get();
        if held.attributes.kind != Kind::Page {
            return Ok(url);
        }
        let (key, depth) = (held.key, held.attributes.depth);
        // Asked for every page: as a rule nobody holds the locks, and other threads need not be let in.
        let at_once = self
            .0
            .try_read()
            .and_then(|store| store.as_ref()?.try_closest(&key, depth));
        let closer = match at_once {
            Some(closer) => closer,
            None => self.run(py, |store| Ok(store.closest(&key, depth)))?,
        };
        let Some(closer) = closer else {
            return Ok(url);
        };
        let closest = QueuedUrl {
            href: held.href.clone(),
            key,
            attributes: Attributes {
                depth: closer.depth,
                via: closer.via,
                source: closer.source,
                is_seed: closer.is_seed || held.attributes.is_seed,
                ..held.attributes
            },
        };
        Bound::new(py, closest)
    }

    fn rereads<'py>(
        &self,
        py: Python<'py>,
        depth: u32,
        most: usize,
    ) -> PyResult<Vec<(u32, Bound<'py, PyBytes>)>> {
        let due = self.run(py, |store| store.rereads(depth, most))?;
        let shown = due.into_iter();
        Ok(shown
            .map(|(depth, key)| (depth, PyBytes::new(py, &key)))
            .collect())
    }

    #[pyo3(signature = (sequence, discoveries, finished, visits=vec![], depths=vec![], reread=vec![]),
           text_signature = "($self, sequence, discoveries, finished, visits=(), depths=(), reread=())")]
    #[expect(clippy::too_many_arguments, reason = "all that a frame may say")]
    fn apply(
        &self,
        py: Python<'_>,
        sequence: u64,
        discoveries: Vec<PyBackedBytes>,
        finished: Vec<(PyBackedBytes, Option<PyBackedBytes>)>,
        visits: Vec<VisitTuple>,
        depths: Vec<u32>,
        reread: Vec<(u32, PyBackedBytes)>,
    ) -> PyResult<Vec<(u32, u8)>> {
        let ended = |(key, hash): &(PyBackedBytes, Option<PyBackedBytes>)| {
            Ok((key_of(key)?, hash.as_deref().map(content_of).transpose()?))
        };
        let finished = finished.iter().map(ended).collect::<PyResult<Vec<_>>>()?;
        let visits = visits.iter().map(visit_of).collect::<PyResult<Vec<_>>>()?;
        let page = |(depth, key): &(u32, PyBackedBytes)| Ok((*depth, key_of(key)?));
        let reread = reread.iter().map(page).collect::<PyResult<Vec<_>>>()?;
        let awakened = self.run(py, |store| {
            let blobs: Vec<&[u8]> = discoveries.iter().map(|blob| &**blob).collect();
            let synced = Synced {
                blobs: &blobs,
                finished: &finished,
                depths: &depths,
                visits: &visits,
                reread: &reread,
            };
            store.apply_synced(sequence, synced)
        })?;
        Ok(awakened.into_iter().map(shown).collect())
    }

    #[pyo3(signature = (discoveries, refused=vec![]), text_signature = "($self, discoveries, refused=())")]
    fn forget_pending(
        &self,
        py: Python<'_>,
        discoveries: Vec<PyBackedBytes>,
        refused: Vec<(Text, PyBackedBytes, PyBackedStr)>,
    ) -> PyResult<()> {
        let keys = refused.iter().map(|(_, key, _)| key_of(key));
        let keys = keys.collect::<PyResult<Vec<_>>>()?;
        self.run(py, |store| {
            let rows = refused.iter().zip(keys);
            store.forget_refused(rows.map(|((href, _, reason), key)| (&*href.0, key, &**reason)));
            store.forget_pending(discoveries.iter().map(|blob| &**blob))
        })
    }

    fn state(&self, py: Python<'_>, key: &[u8]) -> PyResult<Option<&'static str>> {
        let key = key_of(key)?;
        Ok(self
            .run(py, |store| store.state(&key))?
            .map(url_store::State::name))
    }

    fn same_content<'py>(
        &self,
        py: Python<'py>,
        content_hash: &[u8],
        but_not: &[u8],
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let (hash, but_not) = (content_of(content_hash)?, key_of(but_not)?);
        let first = self.run(py, |store| store.same_content(&hash, &but_not))?;
        Ok(first.map(|key| PyBytes::new(py, &key)))
    }

    fn remember_content(&self, py: Python<'_>, content_hash: &[u8], key: &[u8]) -> PyResult<()> {
        let (hash, key) = (content_of(content_hash)?, key_of(key)?);
        self.run(py, |store| {
            store.remember_content(hash, key);
            Ok(())
        })
    }

    fn forget_content(&self, py: Python<'_>, content_hash: &[u8], key: &[u8]) -> PyResult<()> {
        let (hash, key) = (content_of(content_hash)?, key_of(key)?);
        self.run(py, |store| {
            store.forget_content(&hash, &key);
            Ok(())
        })
    }

    #[pyo3(signature = (max_depth=None))]
    fn origins(&self, py: Python<'_>, max_depth: Option<u32>) -> PyResult<Vec<(u32, u8)>> {
        let origins = self.run(py, |store| Ok(store.origins(max_depth)))?;
        Ok(origins.into_iter().map(shown).collect())
    }

    fn origin(&self, py: Python<'_>, number: u32) -> PyResult<Option<String>> {
        self.run(py, |store| Ok(store.origin(number)))
    }

    fn number(&self, py: Python<'_>, origin: &str) -> PyResult<Option<u32>> {
        self.run(py, |store| Ok(store.number(origin)))
    }

    #[pyo3(signature = (origin, count, *, max_depth=None))]
    fn take(
        &self,
        py: Python<'_>,
        origin: u32,
        count: usize,
        max_depth: Option<u32>,
    ) -> PyResult<Vec<QueuedUrl>> {
        let taken = self.run(py, |store| store.take(origin, count, max_depth))?;
        let url = |url: url_store::QueuedUrl| QueuedUrl {
            href: url.href,
            key: url.key,
            attributes: url.attributes,
        };
        Ok(taken.into_iter().map(url).collect())
    }

    fn give_back(&self, py: Python<'_>, keys: Vec<PyBackedBytes>) -> PyResult<()> {
        let keys = keys
            .iter()
            .map(|key| key_of(key))
            .collect::<PyResult<Vec<_>>>()?;
        self.run(py, |store| {
            store.give_back(keys.iter());
            Ok(())
        })
    }

    #[pyo3(signature = (href, key, *, foreign=false))]
    fn worth(
        &self,
        py: Python<'_>,
        href: Text,
        key: &[u8],
        foreign: bool,
    ) -> PyResult<Option<&'static str>> {
        let key = key_of(key)?;
        self.run(py, |store| store.worth(&href.0, &key, foreign))
    }

    fn is_foreign(&self, py: Python<'_>, key: &[u8]) -> PyResult<bool> {
        let key = key_of(key)?;
        self.run(py, |store| store.is_still_foreign(&key))
    }

    fn is_wanted(&self, py: Python<'_>, host: &str) -> PyResult<bool> {
        self.run(py, |store| store.is_wanted(host))
    }

    fn facts<'py>(&self, py: Python<'py>, href: Text) -> PyResult<Bound<'py, PyDict>> {
        let facts = self.run(py, |store| store.facts(&href.0))?;
        let shown = PyDict::new(py);
        shown.set_item("shape", facts.shape)?;
        shown.set_item("domain", facts.domain)?;
        for (name, number) in [
            ("urls_of_shape", facts.urls_of_shape),
            ("stale_fetches", facts.stale_fetches),
            ("stale_fetches_of_parts", facts.stale_fetches_of_parts),
            ("foreign_stale_fetches", facts.foreign_stale_fetches),
            ("pages_of_host", facts.pages_of_host),
            ("sitemaps_of_host", facts.sitemaps_of_host),
            ("found_in_minute", facts.found_in_minute),
            ("hosts_of_domain", facts.hosts_of_domain),
        ] {
            shown.set_item(name, number)?;
        }
        Ok(shown)
    }

    fn queued(&self, py: Python<'_>, origin: u32) -> PyResult<u64> {
        self.run(py, |store| Ok(store.queued(origin)))
    }

    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = self.run(py, |store| Ok(store.counts()))?;
        let shown = PyDict::new(py);
        for (name, number) in [
            ("seen", counts.seen),
            ("queued", counts.queued),
            ("parked", counts.parked),
            ("finished", counts.finished),
            ("origins", counts.origins),
            ("bloom_bits", counts.bloom_bits),
            ("bloom_false_positives", counts.bloom_false_positives),
            ("bloom_tests", counts.bloom_tests),
            ("bytes_on_disk", counts.bytes_on_disk),
        ] {
            shown.set_item(name, number)?;
        }
        Ok(shown)
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.run(py, url_store::UrlStore::flush)
    }

    fn belong_to(&self, py: Python<'_>, log: u64) -> PyResult<()> {
        self.run(py, |store| store.belong_to(log))
    }

    fn saved(&self, py: Python<'_>) -> PyResult<u64> {
        self.run(py, url_store::UrlStore::saved)
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| match self.0.write().take() {
            Some(store) => store.close(),
            None => Ok(()),
        })
        .map_err(to_python)
    }
}

/// What [`check_url_store`] has read, and what was wrong with it.
#[pyclass(frozen, get_all, module = "hondius._native")]
pub struct CheckedRuns {
    runs: u64,
    blocks: u64,
    damages: Vec<(String, String)>,
}

#[pyfunction]
#[pyo3(signature = (directory, progress=None))]
fn check_url_store(
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

/// A part of what a sitemap lists: of which kind, behind how many, how many at most. `None` where there is nothing.
fn admit_piece(
    store: &url_store::UrlStore,
    sitemap: &Sitemap,
    (listed, skip, most): (Listed, usize, usize),
    attributes: Attributes,
    max_depth: Option<u32>,
    policy: &scope::LinkPolicy,
    found_on: Option<&str>,
) -> Result<Option<Admitted>> {
    let entries = sitemap.of(listed).skip(skip).take(most);
    let rows = entries.map(|entry| (entry.href.as_str(), entry.key, attributes.kind));
    if rows.clone().next().is_none() {
        return Ok(None);
    }
    let judge = judge(policy, attributes.discovered_at, false);
    store
        .admit_all(rows, attributes, max_depth, Some(&judge), found_on, false)
        .map(Some)
}

fn judge(
    policy: &scope::LinkPolicy,
    at: f64,
    is_seed: bool,
) -> impl Fn(scope::Pieces<'_>) -> Option<&'static str> {
    move |url| match is_seed {
        true => policy.judge_seed(url, at),
        false => policy.judge(url, at),
    }
}

/// What a URL's end says of its host: its key and href; `novel`, `stale`, `unnamed`, or why it was refused; the hash of its
/// text, `None` where nothing is known of it; whether it brought new links.
type VisitTuple = (
    PyBackedBytes,
    Text,
    PyBackedStr,
    Option<PyBackedBytes>,
    bool,
);

fn visit_of((key, href, word, text, has_new_links): &VisitTuple) -> PyResult<Visit<'_>> {
    let fetched = |is_novel| {
        let text = text.as_deref().map(key_of).transpose()?;
        Ok::<_, PyErr>(Visited::Fetched(Answer {
            is_novel,
            text,
            has_new_links: *has_new_links,
        }))
    };
    let visited = match &**word {
        "novel" => fetched(true)?,
        "stale" => fetched(false)?,
        "unnamed" => Visited::Unnamed,
        reason => Visited::Refused(reason),
    };
    Ok(Visit {
        key: key_of(key)?,
        href: &href.0,
        visited,
    })
}

fn host_of(href: &str) -> &str {
    split_origin(href).map_or("", |(origin, _)| host_of_origin(origin))
}

fn shown(awakened: Awakened) -> (u32, u8) {
    (awakened.origin, awakened.best_class)
}

fn via_of(name: &str) -> PyResult<Via> {
    Via::from_name(name).ok_or_else(|| invalid(format!("no way to find a URL: {name}")))
}

fn kind_of(name: &str) -> PyResult<Kind> {
    match name {
        "page" => Ok(Kind::Page),
        "sitemap" => Ok(Kind::Sitemap),
        other => Err(invalid(format!(
            "{other} is not queued, only page and sitemap are"
        ))),
    }
}

fn key_of(bytes: &[u8]) -> PyResult<Key> {
    Key::try_from(bytes).map_err(|_| invalid(format!("a key has 16 bytes, not {}", bytes.len())))
}

/// The 16 bytes of a body's hash that are kept.
fn content_of(hash: &[u8]) -> PyResult<Key> {
    let kept = hash.first_chunk().copied();
    kept.ok_or_else(|| {
        invalid(format!(
            "a content hash has at least 16 bytes, not {}",
            hash.len()
        ))
    })
}

fn invalid(message: String) -> PyErr {
    to_python(Error::Invalid(message))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Discoveries>()?;
    module.add_class::<DiscoveredUrl>()?;
    module.add_class::<QueuedUrl>()?;
    module.add_class::<MemoryTree>()?;
    module.add_class::<HostLimits>()?;
    module.add_class::<UrlStore>()?;
    module.add_class::<CheckedRuns>()?;
    module.add_function(wrap_pyfunction!(check_url_store, module)?)?;
    module.add_function(wrap_pyfunction!(decode_discoveries, module)?)
}
