//! Where a store keeps its data, and its limits.

use std::sync::Arc;

use pyo3::prelude::*;

use crate::url_store;
use crate::url_store::budgets::Limits;

/// Where a store keeps its data.
#[derive(FromPyObject)]
pub enum Place {
    Tree(Py<MemoryTree>),
    Directory(String),
}

#[pyclass(frozen, module = "hondius._native")]
pub struct MemoryTree(pub Arc<url_store::MemoryTree>);

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

/// Limits for hosts and domains in a run.
#[pyclass(frozen, module = "hondius._native")]
pub struct HostLimits(pub Limits);

#[pymethods]
impl HostLimits {
    #[new]
    #[pyo3(signature = (*, urls_per_shape, new_per_minute, pages_per_host, stale_fetches, hosts_per_domain,
                        sitemaps_per_host, foreign_sitemaps_per_host, kept_refusals))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python contract"
    )]
    fn new(
        urls_per_shape: u64,
        new_per_minute: u64,
        pages_per_host: u64,
        stale_fetches: u16,
        hosts_per_domain: u64,
        sitemaps_per_host: u64,
        foreign_sitemaps_per_host: u64,
        kept_refusals: u64,
    ) -> Self {
        HostLimits(Limits {
            urls_per_shape,
            new_per_minute,
            pages_per_host,
            stale_fetches,
            hosts_per_domain,
            sitemaps_per_host,
            foreign_sitemaps_per_host,
            kept_refusals,
        })
    }
}
