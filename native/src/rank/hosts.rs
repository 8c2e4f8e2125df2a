//! The keys and names of hosts.

use rustc_hash::FxHashSet;
use sha2::{Digest, Sha256};

use crate::url::Key;

/// Hosts that are remembered. Above this number their names are written again, which only takes room.
const MOST_SEEN: usize = 1_000_000;

/// Half a digest, like the key of a URL: nobody can give a host the key of another.
pub fn key_of(host: &str) -> Key {
    let digest = Sha256::digest(host.as_bytes());
    let mut key = Key::default();
    key.copy_from_slice(&digest[..size_of::<Key>()]);
    key
}

/// Finds the keys of hosts, and hosts that are new.
#[derive(Debug, Default)]
pub struct Hosts {
    seen: FxHashSet<Key>,
    /// The last one: most links lead to the host of the page.
    last: Option<(String, Key)>,
}

impl Hosts {
    /// The key of a host, and whether it was not seen before.
    pub fn find(&mut self, host: &str) -> (Key, bool) {
        if let Some((name, key)) = &self.last
            && name == host
        {
            return (*key, false);
        }
        let key = key_of(host);
        self.last = Some((host.to_owned(), key));
        if self.seen.len() >= MOST_SEEN {
            self.seen.clear();
        }
        (key, self.seen.insert(key))
    }
}
