//! Resolves names to addresses (N1, N3).
//!
//! It tries in this order: the operator's overrides, literal addresses, local names, the cache, and
//! only then the network. Simultaneous look-ups of one name share one query. Results have passed
//! the guard of N2, which is asked again when the address is connected to.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tokio::sync::Semaphore;

use super::dns_cache::Cache;
use super::failure::{Failure, cause};
use super::guard::Guard;
use super::overrides::Overrides;
use super::panics::{catch_panic, caught_async};
use super::pattern::normal;
use super::resolver::{Lookup, Resolver};
use crate::clock;

const SHORTEST: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(3600);
const AFTER_FAILURE: f64 = 60.0;
const AFTER_NXDOMAIN: f64 = 300.0;

/// The time limit of one look-up. Python's lease is long enough for the last look-up in the queue.
const LONGEST_LOOK_UP: Duration = Duration::from_secs(20);

/// Addresses kept of one name: a stranger may list any number.
const MOST_ADDRESSES: usize = 16;

/// Look-ups on the network at the same time.
const AT_ONCE: usize = 256;

/// Reserved names (RFC 6761, 6762, 7686): no server can know them, and a query would leak them.
const NEVER_ASKED: [&str; 5] = ["test", "invalid", "local", "onion", "example"];

/// The addresses of a host, and when they expire. Port 0 means the URL's own port.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub addresses: Vec<SocketAddr>,
    /// Expiry by the clock of the process, so that names are looked up again after the machine was suspended for long.
    pub until: f64,
    pub failure: Option<Failure>,
}

type Waiter = Box<dyn FnOnce(&Answer) + Send>;

pub struct Dns {
    overrides: Arc<Overrides>,
    guard: Arc<Guard>,
    resolver: Resolver,
    cache: Mutex<Cache>,
    waiting: Mutex<FxHashMap<String, Vec<Waiter>>>,
    turns: Semaphore,
}

impl Dns {
    pub fn new(overrides: Arc<Overrides>, guard: Arc<Guard>, resolver: Resolver) -> Arc<Self> {
        Arc::new(Dns {
            overrides,
            guard,
            resolver,
            cache: Mutex::new(Cache::default()),
            waiting: Mutex::new(FxHashMap::default()),
            turns: Semaphore::new(AT_ONCE),
        })
    }

    /// Calls `tell` with the answer: at once if it is known, otherwise later. Must run on the runtime.
    pub fn resolve(self: &Arc<Self>, host: &str, tell: impl FnOnce(Answer) + Send + 'static) {
        let host = normal(host);
        if let Some(addresses) = self.overrides.get(&host) {
            let until = clock::now() + LONGEST.as_secs_f64();
            return tell(found(in_order(addresses), until));
        }
        let dns = self.clone();
        self.resolve_unguarded(host, Box::new(move |answer| tell(dns.guarded(answer))));
    }

    /// Resolves a name that the operator gave (a proxy), whose address may be private.
    pub async fn address_of(self: &Arc<Self>, host: &str) -> Result<IpAddr, Failure> {
        let host = normal(host);
        if let Some(address) = self.overrides.get(&host).and_then(<[_]>::first) {
            return Ok(address.ip());
        }
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let tell = move |answer: &Answer| drop(sender.send(answer.clone()));
        self.resolve_unguarded(host, Box::new(tell));
        let missing = || Failure::new(cause::DNS_FAILURE, "no address found");
        let answer = receiver.await.map_err(|_| missing())?;
        match (answer.failure, answer.addresses.first()) {
            (None, Some(address)) => Ok(address.ip()),
            (failure, _) => Err(failure.unwrap_or_else(missing)),
        }
    }

    fn resolve_unguarded(self: &Arc<Self>, host: String, tell: Waiter) {
        let now = clock::now();
        let known = without_asking(&host, now).or_else(|| self.cache.lock().get(&host, now));
        match known {
            Some(answer) => tell(&answer),
            None => self.ask(host, tell),
        }
    }

    /// Keeps only addresses that may be connected to. If there are public ones, private ones are dropped.
    fn guarded(&self, answer: &Answer) -> Answer {
        let permitted = |address: &&SocketAddr| self.guard.permits(address.ip());
        let addresses: Vec<SocketAddr> =
            answer.addresses.iter().filter(permitted).copied().collect();
        if addresses.is_empty() && answer.failure.is_none() {
            let detail = "the name leads to a private address";
            return failed(cause::ADDRESS_REFUSED, detail, answer.until);
        }
        Answer {
            addresses: in_order(&addresses),
            ..answer.clone()
        }
    }

    fn ask(self: &Arc<Self>, host: String, tell: Waiter) {
        let mut waiting = self.waiting.lock();
        if let Some(others) = waiting.get_mut(&host) {
            others.push(tell);
            return;
        }
        waiting.insert(host.clone(), vec![tell]);
        drop(waiting);
        let dns = self.clone();
        tokio::spawn(async move {
            let answer = caught_async(dns.look_up(&host)).await;
            let answer = answer.unwrap_or_else(|failure| Answer {
                addresses: Vec::new(),
                until: clock::now() + AFTER_FAILURE,
                failure: Some(failure),
            });
            dns.cache.lock().insert(&host, answer.clone());
            let waiters = dns.waiting.lock().remove(&host);
            for tell in waiters.unwrap_or_default() {
                // If one callback panics, its caller gets no result, and its lease ends. The others still get theirs.
                let _ = catch_panic(|| tell(&answer));
            }
        });
    }

    async fn look_up(&self, host: &str) -> Answer {
        let turn = self.turns.acquire().await;
        let look_up = tokio::time::timeout(LONGEST_LOOK_UP, self.resolver.look_up(host));
        let result = look_up
            .await
            .unwrap_or_else(|_| Lookup::Failed("the name servers do not answer".into()));
        drop(turn);
        let now = clock::now();
        match result {
            Lookup::Found { addresses, ttl } => {
                let addresses = addresses.iter().map(|ip| SocketAddr::new(*ip, 0)).collect();
                found(addresses, now + ttl.clamp(SHORTEST, LONGEST).as_secs_f64())
            }
            Lookup::Impossible => impossible(now + LONGEST.as_secs_f64()),
            Lookup::NoSuchName => failed(cause::DNS_NXDOMAIN, "no such name", now + AFTER_NXDOMAIN),
            Lookup::Failed(detail) => self
                .last_known(host, now)
                .unwrap_or_else(|| failed(cause::DNS_FAILURE, &detail, now + AFTER_FAILURE)),
        }
    }

    /// Uses an expired address if the look-up fails (N1).
    fn last_known(&self, host: &str, now: f64) -> Option<Answer> {
        let stale = self.cache.lock().stale(host)?;
        Some(Answer {
            until: now + AFTER_FAILURE,
            ..stale
        })
    }
}

/// Sorts addresses in the order in which they are tried (RFC 8305, section 4): the family of the first address first,
/// then the families alternate, each in the order of the answer.
fn in_order(addresses: &[SocketAddr]) -> Vec<SocketAddr> {
    let is_first = |address: &&SocketAddr| address.is_ipv4() == addresses[0].is_ipv4();
    let mut same = addresses.iter().filter(is_first);
    let mut other = addresses.iter().filter(|address| !is_first(address));
    let mut ordered: Vec<SocketAddr> = Vec::new();
    while ordered.len() < MOST_ADDRESSES {
        let pair = [same.next(), other.next()];
        if pair == [None, None] {
            break;
        }
        ordered.extend(pair.into_iter().flatten());
    }
    ordered
}

/// Resolves literal addresses and reserved names without a query.
fn without_asking(host: &str, now: f64) -> Option<Answer> {
    let until = now + LONGEST.as_secs_f64();
    if let Ok(address) = host.parse::<IpAddr>() {
        return Some(found(vec![SocketAddr::new(address, 0)], until));
    }
    if !could_be_asked_for(host) {
        return Some(impossible(until));
    }
    let (_, top) = host.rsplit_once('.').unwrap_or(("", host));
    if top == "localhost" {
        return Some(found(vec![([127, 0, 0, 1], 0).into()], until));
    }
    let nobody_knows = NEVER_ASKED.contains(&top) || host.is_empty();
    nobody_knows.then(|| {
        let detail = "a reserved name without an override";
        failed(cause::DNS_NXDOMAIN, detail, until)
    })
}

/// Checks the limits of RFC 1035: 1 to 63 octets per label, 253 in total. WHATWG URLs allow longer names. The final dot
/// is already removed.
fn could_be_asked_for(host: &str) -> bool {
    let fits = |label: &str| (1..=63).contains(&label.len());
    host.is_empty() || (host.len() <= 253 && host.split('.').all(fits))
}

fn impossible(until: f64) -> Answer {
    let detail = "DNS has no such names: a label has 1 to 63 characters, a name 253 at most";
    failed(cause::DNS_IMPOSSIBLE, detail, until)
}

fn found(addresses: Vec<SocketAddr>, until: f64) -> Answer {
    Answer {
        addresses,
        until,
        failure: None,
    }
}

fn failed(cause: &'static str, detail: &str, until: f64) -> Answer {
    Answer {
        addresses: Vec::new(),
        until,
        failure: Some(Failure::new(cause, detail)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(addresses: &[&str]) -> Vec<String> {
        let parsed: Vec<SocketAddr> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        in_order(&parsed).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn n1_families_take_turns_and_that_of_the_first_address_begins() {
        let mixed = [
            "[::1]:0",
            "[::2]:0",
            "[::3]:0",
            "192.0.2.1:0",
            "192.0.2.2:0",
        ];
        let expected = [
            "[::1]:0",
            "192.0.2.1:0",
            "[::2]:0",
            "192.0.2.2:0",
            "[::3]:0",
        ];
        assert_eq!(ordered(&mixed), expected);
        assert_eq!(
            ordered(&["192.0.2.2:0", "192.0.2.1:0"]),
            ["192.0.2.2:0", "192.0.2.1:0"]
        );
        assert!(ordered(&[]).is_empty());
    }

    #[test]
    fn n1_of_a_name_with_any_number_of_addresses_few_are_kept() {
        let many: Vec<SocketAddr> = (0..5_000u32)
            .map(|number| (std::net::Ipv4Addr::from(number), 0).into())
            .collect();
        assert_eq!(in_order(&many).len(), MOST_ADDRESSES);
    }
}
