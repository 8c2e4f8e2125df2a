//! Connections kept open between requests (H1).
//!
//! The key contains everything that makes two connections interchangeable, including the address:
//! the one that politeness chose must be used (P3). If there are too many, the least recently used is
//! closed, and no connection idles longer than `IDLE`.
//!
//! If a server ignores a request over a reused connection, each request gets a new connection for
//! `DISTRUST`: the server may do it every time, and each time costs it a second request.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::connection::Connection;

const IDLE: Duration = Duration::from_secs(30);
const DISTRUST: Duration = Duration::from_secs(600);

/// Maximum number of distrusted servers. Above it all are forgotten, which costs each a request.
const MOST_DISTRUSTED: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PoolKey {
    pub secure: bool,
    pub host: String,
    pub port: u16,
    pub address: SocketAddr,
    /// The proxy in between: its configured name and port.
    pub proxy: Option<(String, u16)>,
}

struct Idle<C> {
    number: u64,
    connection: C,
}

struct IdleConnections<C> {
    idle: FxHashMap<Arc<PoolKey>, Vec<Idle<C>>>,
    /// By age: numbers only increase.
    order: BTreeMap<u64, (Arc<PoolKey>, Instant)>,
    next: u64,
    distrusted: FxHashMap<PoolKey, Instant>,
}

/// Generic, so that its order can be tested without sockets.
pub struct Pool<C = Connection> {
    kept: Mutex<IdleConnections<C>>,
    capacity: usize,
}

impl<C> Pool<C> {
    pub fn new(capacity: usize) -> Self {
        Pool {
            kept: Mutex::new(IdleConnections {
                idle: FxHashMap::default(),
                order: BTreeMap::new(),
                next: 0,
                distrusted: FxHashMap::default(),
            }),
            capacity,
        }
    }

    /// Takes the newest connection for this key.
    pub fn take(&self, key: &PoolKey, now: Instant) -> Option<C> {
        let mut kept = self.kept.lock();
        loop {
            let idle = kept.idle.get_mut(key)?.pop()?;
            let (key, since) = kept.order.remove(&idle.number)?;
            if kept.idle.get(&key).is_some_and(Vec::is_empty) {
                kept.idle.remove(&key);
            }
            if now.duration_since(since) < IDLE {
                return Some(idle.connection);
            }
        }
    }

    pub fn put(&self, key: PoolKey, connection: C, now: Instant) {
        if self.capacity == 0 {
            return;
        }
        let mut kept = self.kept.lock();
        if kept.is_distrusted(&key, now) {
            return;
        }
        let surplus = if kept.order.len() >= self.capacity {
            kept.remove_oldest()
        } else {
            None
        };
        kept.insert(Arc::new(key), connection, now);
        drop(kept);
        // Closing a socket is a system call: not under the lock.
        drop(surplus);
    }

    /// Keeps no connection for this key for a while.
    pub fn distrust(&self, key: &PoolKey, now: Instant) {
        let mut kept = self.kept.lock();
        let closed = kept.idle.remove(key).unwrap_or_default();
        for idle in &closed {
            kept.order.remove(&idle.number);
        }
        if kept.distrusted.len() >= MOST_DISTRUSTED {
            kept.distrusted.clear();
        }
        kept.distrusted.insert(key.clone(), now);
        drop(kept);
        drop(closed);
    }

    /// Closes connections that were idle for too long, and ends distrust that is over.
    pub fn sweep(&self, now: Instant) {
        let mut kept = self.kept.lock();
        let mut old = Vec::new();
        while let Some((_, (_, since))) = kept.order.first_key_value()
            && now.duration_since(*since) >= IDLE
        {
            old.extend(kept.remove_oldest());
        }
        kept.distrusted
            .retain(|_, since| now.duration_since(*since) < DISTRUST);
        drop(kept);
        drop(old);
    }
}

impl<C> IdleConnections<C> {
    fn is_distrusted(&self, key: &PoolKey, now: Instant) -> bool {
        let since = self.distrusted.get(key);
        since.is_some_and(|since| now.duration_since(*since) < DISTRUST)
    }

    fn insert(&mut self, key: Arc<PoolKey>, connection: C, now: Instant) {
        let number = self.next;
        self.next += 1;
        self.order.insert(number, (key.clone(), now));
        let idle = Idle { number, connection };
        self.idle.entry(key).or_default().push(idle);
    }

    fn remove_oldest(&mut self) -> Option<C> {
        let (number, (key, _)) = self.order.pop_first()?;
        let siblings = self.idle.get_mut(&key)?;
        let position = siblings.iter().position(|idle| idle.number == number)?;
        let idle = siblings.remove(position);
        if siblings.is_empty() {
            self.idle.remove(&key);
        }
        Some(idle.connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(port: u16) -> PoolKey {
        PoolKey {
            secure: false,
            host: "a.test".into(),
            port,
            address: ([127, 0, 0, 1], port).into(),
            proxy: None,
        }
    }

    #[test]
    fn p3_a_connection_serves_only_the_address_it_was_made_for() {
        let pool = Pool::new(8);
        let now = Instant::now();
        pool.put(key(1), "one", now);
        let other = PoolKey {
            address: ([127, 0, 0, 2], 1).into(),
            ..key(1)
        };
        assert_eq!(pool.take(&other, now), None);
        assert_eq!(pool.take(&key(1), now), Some("one"));
        assert_eq!(pool.take(&key(1), now), None);
    }

    #[test]
    fn the_least_recently_used_connection_goes_first() {
        let pool = Pool::new(2);
        let now = Instant::now();
        for (port, name) in [(1, "one"), (2, "two"), (3, "three")] {
            pool.put(key(port), name, now);
        }
        assert_eq!(pool.take(&key(1), now), None);
        assert_eq!(pool.take(&key(2), now), Some("two"));
        assert_eq!(pool.take(&key(3), now), Some("three"));
    }

    #[test]
    fn idle_connections_are_closed_after_thirty_seconds() {
        let pool = Pool::new(8);
        let start = Instant::now();
        pool.put(key(1), "old", start);
        pool.put(key(2), "young", start + IDLE / 2);
        pool.put(key(3), "older", start);
        assert_eq!(pool.take(&key(3), start + IDLE), None);
        pool.sweep(start + IDLE);
        assert_eq!(pool.take(&key(1), start), None);
        assert_eq!(pool.take(&key(2), start + IDLE), Some("young"));
        assert!(pool.kept.lock().order.is_empty() && pool.kept.lock().idle.is_empty());
    }

    #[test]
    fn p7_a_server_that_swallowed_a_request_gets_a_new_connection_for_each_for_a_while() {
        let pool = Pool::new(8);
        let now = Instant::now();
        pool.put(key(1), "one", now);
        pool.put(key(2), "other", now);
        pool.distrust(&key(1), now);
        assert_eq!(pool.take(&key(1), now), None);
        pool.put(key(1), "two", now);
        assert_eq!(pool.take(&key(1), now), None);
        assert_eq!(pool.take(&key(2), now), Some("other"));
        pool.put(key(1), "three", now + DISTRUST);
        assert_eq!(pool.take(&key(1), now + DISTRUST), Some("three"));
        pool.sweep(now + DISTRUST);
        assert!(pool.kept.lock().distrusted.is_empty());
    }

    #[test]
    fn no_more_servers_are_remembered_than_fit() {
        let pool: Pool<()> = Pool::new(8);
        let now = Instant::now();
        for port in 0..=MOST_DISTRUSTED as u16 {
            pool.distrust(&key(port), now);
        }
        assert_eq!(pool.kept.lock().distrusted.len(), 1);
    }
}
