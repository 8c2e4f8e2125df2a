//! A cache of the last results. Most links of a page are of one host, and of few shapes.

use std::sync::Arc;

use super::novelty::Stale;
use super::record::HostRecord;
use crate::url::Key;

/// Valid until a frame is applied; then everything is forgotten.
#[derive(Debug, Default)]
pub struct Last {
    host: String,
    record: Option<Arc<HostRecord>>,
    stale: Option<(Key, Stale)>,
}

impl Last {
    pub fn record(&self, host: &str) -> Option<Arc<HostRecord>> {
        let record = self.record.as_ref().filter(|_| self.host == host);
        record.cloned()
    }

    pub fn set_record(&mut self, host: &str, record: &Arc<HostRecord>) {
        self.host.clear();
        self.host.push_str(host);
        self.record = Some(record.clone());
    }

    /// `key` identifies a shape of a host.
    pub fn stale(&self, key: &Key) -> Option<Stale> {
        let (held, stale) = self.stale?;
        (held == *key).then_some(stale)
    }

    pub fn set_stale(&mut self, key: Key, stale: Stale) {
        self.stale = Some((key, stale));
    }

    pub fn forget(&mut self) {
        self.record = None;
        self.stale = None;
    }
}
