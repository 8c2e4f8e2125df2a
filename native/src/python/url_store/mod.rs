//! Python bindings of [`crate::url_store`].

mod admission;
mod arguments;
mod check;
mod place;
mod urls;

use std::path::Path;

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyTuple};

use super::error::to_python;
use super::fetched::Fetched;
use super::page::Page;
use super::rank::RankFactors;
use super::scope::LinkPolicy;
use super::sitemap::Listing;
use super::text::Text;
use crate::error::{Error, Result};
use crate::fetched::Kind;
use crate::sitemap::{self, Listed};
use crate::url_store::attributes::{Attributes, Via};
use crate::url_store::budgets::Limits;
use crate::url_store::reprioritise;
use crate::url_store::{
    self, Admitted, Awakened, Cursor, Found, Settings, Share, SharedStore, Synced,
};
use admission::{Piece, admit_piece, host_of, judge};
pub use arguments::following_of;
use arguments::{
    PriorityList, VisitTuple, content_of, invalid, key_of, kind_of, priorities_of, via_of, visit_of,
};
use place::{HostLimits, MemoryTree, Place};
use urls::{DiscoveredUrl, Discoveries, QueuedUrl};

/// Stands for a store in memory that lives as long as its object.
const IN_MEMORY: &str = ":memory:";

#[pyclass(frozen, module = "hondius._native")]
pub struct UrlStore(SharedStore);

/// The store, shared with other native objects.
#[pyclass(frozen, module = "hondius._native")]
pub struct StoreHandle(pub SharedStore);

impl UrlStore {
    /// Runs `work` without the GIL. Closing waits for it.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&url_store::UrlStore) -> Result<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| self.0.run(work)).map_err(to_python)
    }
}

#[pymethods]
impl UrlStore {
    #[new]
    #[pyo3(signature = (directory, *, capacity=10_000_000, cached_keys=1_000_000, memory=268_435_456, limits=None,
                        share=None))]
    fn new(
        py: Python<'_>,
        directory: Place,
        capacity: u64,
        cached_keys: usize,
        memory: u64,
        limits: Option<Bound<'_, HostLimits>>,
        share: Option<(u32, u32)>,
    ) -> PyResult<Self> {
        let settings = Settings {
            capacity,
            cached_keys,
            memory,
            limits: limits.map_or(Limits::NONE, |limits| limits.get().0),
            share: share.map(|(partition, partitions)| Share {
                partition,
                partitions,
            }),
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
        Ok(UrlStore(SharedStore::new(store.map_err(to_python)?)))
    }

    #[getter]
    fn applied(&self, py: Python<'_>) -> PyResult<u64> {
        self.run(py, |store| Ok(store.applied()))
    }

    /// The sequence of the last applied frame, for each partition up to its own.
    #[getter]
    fn sequences<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (partition, applied) =
            self.run(py, |store| Ok((store.partition(), store.applied())))?;
        let before = std::iter::repeat_n(0, partition as usize);
        PyTuple::new(py, before.chain([applied]).collect::<Vec<u64>>())
    }

    #[pyo3(signature = (urls, policy, *, depth, priority, discovered_at, max_depth, via, kind="page", hops=0,
                        source=None, found_on=None, is_seed=false, known_only=false, priorities=None))]
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
        priorities: Option<PriorityList>,
    ) -> PyResult<Discoveries> {
        let priorities = priorities_of(priorities, urls.len())?;
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
            from_sibling: false,
        };
        let urls = urls
            .into_iter()
            .map(|(href, key)| Ok((href.0, key_of(&key)?)))
            .collect::<PyResult<Vec<_>>>()?;
        let policy = policy.map(|policy| policy.get().0.clone());
        let admitted = self.run(py, |store| {
            let rows = urls.iter().zip(0..).map(|((href, key), number)| Found {
                href: href.as_str(),
                key: *key,
                kind,
                priority: priorities.as_ref().and_then(|list| list.of(number)),
            });
            let judge = policy
                .as_deref()
                .map(|policy| judge(policy, discovered_at, is_seed));
            store.admit_found(
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
                        most=usize::MAX, priorities=None, following=None),
           text_signature = "($self, fetched, policy, *, depth, priority, discovered_at, max_depth, \
                             follow_nofollow=False, skip=0, most=..., priorities=None, following=None)")]
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
        priorities: Option<PriorityList>,
        following: Option<(f64, f64, f64)>,
    ) -> PyResult<Discoveries> {
        let fetched = fetched.get().native().clone();
        let links = fetched.page.as_ref().map_or(0, |page| page.links.len());
        let priorities = priorities_of(priorities, links)?;
        let following = following.map(following_of);
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
            from_sibling: false,
        };
        let admitted = self.run(py, |store| match &fetched.page {
            Some(page) => store.admit_links(
                page,
                skip..skip.saturating_add(most),
                attributes,
                priorities.as_ref(),
                following.as_ref(),
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

    #[pyo3(signature = (fetched, policy, *, depth, priority, discovered_at, hops=0))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python contract"
    )]
    fn admit_requisites(
        &self,
        py: Python<'_>,
        fetched: &Bound<'_, Fetched>,
        policy: &Bound<'_, LinkPolicy>,
        depth: u32,
        priority: f64,
        discovered_at: f64,
        hops: u32,
    ) -> PyResult<Discoveries> {
        let fetched = fetched.get().native().clone();
        let policy = policy.get().0.clone();
        let attributes = Attributes {
            priority,
            depth,
            hops,
            via: Via::Requisite,
            kind: Kind::Requisite,
            source: Some(fetched.key),
            discovered_at,
            is_seed: false,
            parked: false,
            deferred: false,
            foreign: false,
            from_sibling: false,
        };
        let admitted = self.run(py, |store| match &fetched.page {
            Some(page) => store.admit_requisites(
                page,
                attributes,
                Some(&judge(&policy, discovered_at, false)),
                Some(host_of(&fetched.href)),
            ),
            None => Ok(Admitted::default()),
        })?;
        Ok(Discoveries::new(py, admitted))
    }

    #[pyo3(signature = (fetched, listed, policy, *, depth, priority, discovered_at, max_depth, via, kind="page",
                        skip=0, most=sitemap::MAX_ENTRIES, priorities=None),
           text_signature = "($self, fetched, listed, policy, *, depth, priority, discovered_at, max_depth, via, \
                             kind='page', skip=0, most=50000, priorities=None)")]
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
        priorities: Option<PriorityList>,
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
            from_sibling: false,
        };
        let entries = fetched.sitemap.as_ref();
        let entries = entries.map_or(0, |sitemap| sitemap.of(listed).count());
        let piece = Piece {
            listed,
            skip,
            most,
            priorities: priorities_of(priorities, entries)?,
        };
        let admitted = self.run(py, |store| match &fetched.sitemap {
            Some(sitemap) => {
                let found_on = Some(host_of(&fetched.href));
                admit_piece(
                    store, sitemap, &piece, attributes, max_depth, &policy, found_on,
                )
            }
            None => Ok(None),
        })?;
        Ok(admitted.map(|admitted| Discoveries::new(py, admitted)))
    }

    #[pyo3(signature = (listing, source, listed, policy, *, priority, discovered_at, max_depth, found_on, skip=0,
                        most=sitemap::MAX_ENTRIES, priorities=None),
           text_signature = "($self, listing, source, listed, policy, *, priority, discovered_at, max_depth, found_on, \
                             skip=0, most=50000, priorities=None)")]
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
        priorities: Option<PriorityList>,
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
            from_sibling: false,
        };
        let piece = Piece {
            listed,
            skip,
            most,
            priorities: priorities_of(priorities, sitemap.of(listed).count())?,
        };
        let admitted = self.run(py, |store| {
            let found_on = Some(found_on);
            admit_piece(
                store, &sitemap, &piece, attributes, max_depth, &policy, found_on,
            )
        })?;
        Ok(admitted.map(|admitted| Discoveries::new(py, admitted)))
    }

    #[pyo3(signature = (page, source, policy, *, depth, priority, discovered_at, max_depth, known_only,
                        found_on=None, follow_nofollow=false, priorities=None, following=None))]
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
        priorities: Option<PriorityList>,
        following: Option<(f64, f64, f64)>,
    ) -> PyResult<Discoveries> {
        let page = page.get().0.clone();
        let priorities = priorities_of(priorities, page.links.len())?;
        let following = following.map(following_of);
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
            from_sibling: false,
        };
        let admitted = self.run(py, |store| {
            let judge = judge(&policy, discovered_at, false);
            store.admit_links(
                &page,
                0..usize::MAX,
                attributes,
                priorities.as_ref(),
                following.as_ref(),
                max_depth,
                Some(&judge),
                found_on,
                follow_nofollow,
                known_only,
            )
        })?;
        Ok(Discoveries::new(py, admitted))
    }

    /// Returns a URL that is handed out, with the shortest path known by now.
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
        let at_once = self.0.try_run(|store| store.try_closest(&key, depth));
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

    fn reprioritise<'py>(
        &self,
        py: Python<'py>,
        urls: Vec<(PyBackedBytes, f64)>,
    ) -> PyResult<(Bound<'py, PyBytes>, u64)> {
        let order = urls.iter();
        let order = order.map(|(key, priority)| Ok((key_of(key)?, *priority)));
        let order = order.collect::<PyResult<Vec<_>>>()?;
        let (data, count) = self.run(py, |store| store.reprioritise(&order))?;
        Ok((PyBytes::new(py, &data), count))
    }

    #[pyo3(signature = (factors, cursor=(0, 0, 0), most=10_000), text_signature = "($self, factors, cursor=(0, 0, 0), most=10000)")]
    fn rerank<'py>(
        &self,
        py: Python<'py>,
        factors: &Bound<'_, RankFactors>,
        cursor: Cursor,
        most: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, u64, Option<Cursor>)> {
        let factors = factors.get().0.clone();
        let found = self.run(py, |store| store.rerank(&factors, cursor, most))?;
        Ok((PyBytes::new(py, &found.data), found.count, found.next))
    }

    #[pyo3(signature = (sequence, discoveries, finished, visits=vec![], depths=vec![], reread=vec![],
                        reprioritised=vec![], partition=0),
           text_signature = "($self, sequence, discoveries, finished, visits=(), depths=(), reread=(), \
                             reprioritised=(), partition=0)")]
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
        reprioritised: Vec<PyBackedBytes>,
        partition: u32,
    ) -> PyResult<Vec<(u32, u8)>> {
        let ended = |(key, hash): &(PyBackedBytes, Option<PyBackedBytes>)| {
            Ok((key_of(key)?, hash.as_deref().map(content_of).transpose()?))
        };
        let finished = finished.iter().map(ended).collect::<PyResult<Vec<_>>>()?;
        let visits = visits.iter().map(visit_of).collect::<PyResult<Vec<_>>>()?;
        let page = |(depth, key): &(u32, PyBackedBytes)| Ok((*depth, key_of(key)?));
        let reread = reread.iter().map(page).collect::<PyResult<Vec<_>>>()?;
        let awakened = self.run(py, |store| {
            if partition != store.partition() {
                let wrong = format!(
                    "a frame of partition {partition}, not {}",
                    store.partition()
                );
                return Err(Error::Invalid(wrong));
            }
            let mut order = Vec::new();
            for data in &reprioritised {
                order.extend(reprioritise::decode(data)?);
            }
            let blobs: Vec<&[u8]> = discoveries.iter().map(|blob| &**blob).collect();
            let synced = Synced {
                blobs: &blobs,
                finished: &finished,
                depths: &depths,
                visits: &visits,
                reread: &reread,
                reprioritised: &order,
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

    fn depths(&self, py: Python<'_>, keys: Vec<PyBackedBytes>) -> PyResult<Vec<Option<u32>>> {
        let keys = keys.iter().map(|key| key_of(key));
        let keys = keys.collect::<PyResult<Vec<_>>>()?;
        self.run(py, |store| store.depths(&keys))
    }

    fn find(&self, py: Python<'_>, key: &[u8]) -> PyResult<Option<u32>> {
        let key = key_of(key)?;
        let found = self.run(py, |store| Ok((store.state(&key)?, store.partition())))?;
        Ok(found.0.map(|_| found.1))
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
        let taken = py.detach(|| {
            let taken = self.0.run(|store| store.take(origin, count, max_depth));
            if taken.as_ref().is_ok_and(|taken| taken.len() == count) {
                self.0.expect(origin, max_depth);
            }
            taken
        });
        let taken = taken.map_err(to_python)?;
        Ok(taken.into_iter().map(QueuedUrl::from).collect())
    }

    fn take_url(&self, py: Python<'_>, key: &[u8]) -> PyResult<Option<QueuedUrl>> {
        let key = key_of(key)?;
        let taken = self.run(py, |store| store.take_url(&key))?;
        Ok(taken.map(QueuedUrl::from))
    }

    #[pyo3(signature = (origin, *, max_depth=None))]
    fn expect(&self, py: Python<'_>, origin: u32, max_depth: Option<u32>) {
        py.detach(|| self.0.expect(origin, max_depth));
    }

    #[pyo3(signature = (urls, found_on=None))]
    fn read_ahead(
        &self,
        py: Python<'_>,
        urls: Vec<(Text, PyBackedBytes)>,
        found_on: Option<&str>,
    ) -> PyResult<()> {
        let urls = urls.into_iter();
        let urls = urls.map(|(href, key)| Ok((href.0, key_of(&key)?)));
        let urls = urls.collect::<PyResult<Vec<_>>>()?;
        py.detach(|| {
            let urls = urls.iter().map(|(href, key)| (href.as_str(), *key));
            // Errors are ignored here: `admit` will meet and report them.
            let _ = self.0.run(|store| match store.cold(urls, found_on, None) {
                Some(cold) => store.read_ahead(cold),
                None => Ok(()),
            });
        });
        Ok(())
    }

    fn handle(&self) -> StoreHandle {
        StoreHandle(self.0.clone())
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

    fn is_own(&self, py: Python<'_>, host: &str) -> PyResult<bool> {
        self.run(py, |store| store.is_own(host))
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
        py.detach(|| self.0.close()).map_err(to_python)
    }
}

fn shown(awakened: Awakened) -> (u32, u8) {
    (awakened.origin, awakened.best_class)
}

#[pyfunction]
fn partition_of(host: Text, partitions: u32) -> u32 {
    url_store::partition_of(&host.0.to_lowercase(), partitions)
}

#[pyfunction]
fn partition_of_url(href: Text, partitions: u32) -> u32 {
    url_store::partition_of_url(&href.0, partitions)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Discoveries>()?;
    module.add_class::<DiscoveredUrl>()?;
    module.add_class::<QueuedUrl>()?;
    module.add_class::<MemoryTree>()?;
    module.add_class::<HostLimits>()?;
    module.add_class::<UrlStore>()?;
    module.add_class::<StoreHandle>()?;
    module.add_class::<check::CheckedRuns>()?;
    module.add_function(wrap_pyfunction!(check::check_url_store, module)?)?;
    module.add_function(wrap_pyfunction!(partition_of, module)?)?;
    module.add_function(wrap_pyfunction!(partition_of_url, module)?)?;
    module.add_function(wrap_pyfunction!(urls::decode_discoveries, module)?)
}
