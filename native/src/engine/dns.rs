//! Resolves names to addresses (N1, N3).
//!
//! It tries in this order: the operator's overrides, literal addresses, local names, the cache, and
//! only then the network. Simultaneous look-ups of one name share one query. `dns_lanes` limits how
//! many names are queried at once. A name that was known is not waited for: if its query takes long,
//! its last addresses are used, and the query continues (as in RFC 8767). Results have passed the
//! guard of N2, which is asked again when the address is connected to.

use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tokio::time::timeout;

use super::dns_cache::Cache;
use super::dns_lanes::{Lanes, QUICK_TIME, Unasked};
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

/// How long after their TTL addresses are used, if no newer ones are found.
const LONGEST_STALE: f64 = 24.0 * 3600.0;

/// Addresses kept of one name: a stranger may list any number.
const MOST_ADDRESSES: usize = 16;

/// Says why a look-up was put off.
const PUT_OFF: &str = "other names of its domain do not answer: it is looked up later";

/// Reserved names (RFC 6761, 6762, 7686): no server can know them, and a query would leak them.
const NEVER_ASKED: [&str; 5] = ["test", "invalid", "local", "onion", "example"];

/// The addresses of a host, and when they expire. Port 0 means the URL's own port.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub addresses: Vec<SocketAddr>,
    /// Expiry by the clock of the process, so that names are looked up again after the machine was suspended for long.
    pub until: f64,
    /// When the TTL ends or ended. `until` is later if the addresses are used because no newer ones were found.
    pub fresh_until: f64,
    pub failure: Option<Failure>,
}

type Waiter = Box<dyn FnOnce(&Answer) + Send>;

pub struct Dns {
    overrides: Arc<Overrides>,
    guard: Arc<Guard>,
    resolver: Resolver,
    cache: Mutex<Cache>,
    waiting: Mutex<FxHashMap<String, Vec<Waiter>>>,
    lanes: Lanes,
}

impl Dns {
    pub fn new(overrides: Arc<Overrides>, guard: Arc<Guard>, resolver: Resolver) -> Arc<Self> {
        Arc::new(Dns {
            overrides,
            guard,
            resolver,
            cache: Mutex::new(Cache::default()),
            waiting: Mutex::new(FxHashMap::default()),
            lanes: Lanes::default(),
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
            let answer = dns.look_up_telling_stale(&host).await;
            if clock::now() < answer.until {
                dns.cache.lock().insert(&host, answer.clone());
            }
            let waiters = dns.waiting.lock().remove(&host);
            tell_all(waiters.unwrap_or_default(), &answer);
        });
    }

    /// Looks up a name. While that takes long, the last addresses of a known name are told to everybody who waits.
    async fn look_up_telling_stale(&self, host: &str) -> Answer {
        let mut look_up = pin!(caught_async(self.look_up(host)));
        let answer = loop {
            if self.last_known(host, clock::now()).is_none() {
                break look_up.await;
            }
            if let Ok(answer) = timeout(QUICK_TIME, &mut look_up).await {
                break answer;
            }
            if let Some(stale) = self.last_known(host, clock::now()) {
                let waiters = self.waiting.lock().get_mut(host).map(std::mem::take);
                tell_all(waiters.unwrap_or_default(), &stale);
            }
        };
        answer.unwrap_or_else(|failure| fail(failure, clock::now() + AFTER_FAILURE))
    }

    async fn look_up(&self, host: &str) -> Answer {
        let result = self.lanes.run(host, || self.resolver.look_up(host)).await;
        let now = clock::now();
        let (failure, until) = match result {
            Ok(Lookup::Found { addresses, ttl }) => {
                let addresses = addresses.iter().map(|ip| SocketAddr::new(*ip, 0)).collect();
                return found(addresses, now + ttl.clamp(SHORTEST, LONGEST).as_secs_f64());
            }
            Ok(Lookup::Impossible) => return impossible(now + LONGEST.as_secs_f64()),
            Ok(Lookup::NoSuchName) => {
                return failed(cause::DNS_NXDOMAIN, "no such name", now + AFTER_NXDOMAIN);
            }
            Ok(Lookup::Failed(detail)) => (
                Failure::new(cause::DNS_FAILURE, detail),
                now + AFTER_FAILURE,
            ),
            Err(Unasked::TimedOut) => (
                Failure::new(cause::DNS_FAILURE, "the name servers do not answer"),
                now + AFTER_FAILURE,
            ),
            Err(Unasked::PutOff) => (Failure::new(cause::LEASE_ENDED, PUT_OFF), now),
        };
        self.last_known(host, now)
            .unwrap_or_else(|| fail(failure, until))
    }

    /// Expired addresses, for use if no newer ones are found soon (N1).
    fn last_known(&self, host: &str, now: f64) -> Option<Answer> {
        let stale = self.cache.lock().stale(host)?;
        (now < stale.fresh_until + LONGEST_STALE).then_some(Answer {
            until: now + AFTER_FAILURE,
            ..stale
        })
    }
}

fn tell_all(waiters: Vec<Waiter>, answer: &Answer) {
    for tell in waiters {
        // If one callback panics, its caller gets no result, and its lease ends. The others still get theirs.
        let _ = catch_panic(|| tell(answer));
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
        fresh_until: until,
        failure: None,
    }
}

fn failed(cause: &'static str, detail: &str, until: f64) -> Answer {
    fail(Failure::new(cause, detail), until)
}

fn fail(failure: Failure, until: f64) -> Answer {
    Answer {
        addresses: Vec::new(),
        until,
        fresh_until: until,
        failure: Some(failure),
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

    const NAME: &str = "www.site.com";

    /// A resolver whose name server never answers, and the answer for `NAME`, which expired `age` seconds ago.
    fn resolved_from_stale(age: f64, allowed: &[&str]) -> (Answer, Duration) {
        let silent = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let server = silent.local_addr().unwrap().to_string();
        let overrides = Arc::new(Overrides::new::<&str>(&[]).unwrap());
        let guard = Arc::new(Guard::new(allowed).unwrap());
        let dns = Dns::new(overrides, guard, Resolver::new(&[server]).unwrap());
        let expired = found(vec![([127, 0, 0, 9], 0).into()], clock::now() - age);
        dns.cache.lock().insert(NAME, expired);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let began = std::time::Instant::now();
        let _inside = runtime.enter();
        dns.resolve(NAME, move |answer| sender.send(answer).unwrap());
        (receiver.recv().unwrap(), began.elapsed())
    }

    #[test]
    fn n1_a_known_name_whose_server_is_silent_keeps_its_last_address_within_seconds() {
        let (answer, took) = resolved_from_stale(600.0, &["127.0.0.0/8"]);
        assert_eq!(answer.addresses, [([127, 0, 0, 9], 0).into()]);
        assert_eq!(answer.failure, None);
        assert!(answer.until <= clock::now() + AFTER_FAILURE);
        assert!(took < Duration::from_secs(2), "{took:?}");
    }

    #[test]
    fn n2_the_last_address_passes_the_guard_too() {
        let (answer, _) = resolved_from_stale(600.0, &[]);
        assert_eq!(answer.failure.unwrap().cause, cause::ADDRESS_REFUSED);
        assert!(answer.addresses.is_empty());
    }

    #[test]
    fn n1_the_last_address_is_not_used_for_more_than_a_day() {
        let (answer, _) = resolved_from_stale(LONGEST_STALE + 1.0, &["127.0.0.0/8"]);
        assert_eq!(answer.failure.unwrap().cause, cause::DNS_FAILURE);
    }
}
