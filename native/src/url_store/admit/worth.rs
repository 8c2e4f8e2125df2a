//! Decides whether a queued URL is still worth its request (F6).

use super::super::UrlStore;
use super::admission::not_absolute;
use crate::error::Result;
use crate::url::{Key, host_of_origin, split_origin};

impl UrlStore {
    /// Why a queued URL is no longer worth a request, or `None` (F6). `foreign`: it was found on another host first.
    pub fn worth(&self, href: &str, key: &Key, foreign: bool) -> Result<Option<&'static str>> {
        let (origin, path) = split_origin(href).ok_or_else(|| not_absolute(href))?;
        let host = host_of_origin(origin);
        let mut known = self.known.lock();
        let own = known.budgets.worth(self, host, path, key, false)?;
        if !foreign {
            return Ok(own);
        }
        let others = known.budgets.worth(self, host, path, key, true)?;
        if own != others && self.is_foreign(&known, key)? {
            return Ok(others);
        }
        Ok(own)
    }

    /// Whether a URL that was found on another host first is still foreign.
    pub fn is_still_foreign(&self, key: &Key) -> Result<bool> {
        let known = self.known.lock();
        self.is_foreign(&known, key)
    }
}
