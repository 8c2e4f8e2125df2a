//! What a URL costs: `cargo bench --bench url_store -- URLS ORIGINS [MEMORY MiB]`.
//!
//! Frames of 1,000 discoveries, each page's twelve links on one origin, are admitted and applied;
//! known links are tested cold and hot; one URL at a time is taken from every origin in turn and
//! finished; the store is closed and opened again. What writes is charged the CPU of the whole
//! process, the tree's own threads included, what reads that of its thread; memory is what is
//! resident, also of the Bloom file.

use std::time::{Duration, Instant};

use hondius_native::fetched::Kind;
use hondius_native::url::Key;
use hondius_native::url_store::attributes::{Attributes, Via};
use hondius_native::url_store::{Settings, UrlStore};
use xxhash_rust::xxh3::xxh3_128;

const FRAME: u64 = 1_000;
const LINKS_PER_PAGE: u64 = 12;

fn main() {
    let numbers = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    let urls = numbers.first().copied().unwrap_or(1_000_000);
    let origins = numbers.get(1).copied().unwrap_or(urls / 50).max(1);
    let memory = numbers.get(2).copied().unwrap_or(64) * 1024 * 1024;
    let settings = Settings {
        memory,
        ..Settings::default()
    };
    let directory = tempfile::tempdir().expect("a directory for the store");
    let open = || UrlStore::open(directory.path(), settings).expect("a store");

    let store = open();
    let mut admission = Duration::ZERO;
    let adding = spent(PROCESS, || admission = add(&store, urls, origins));
    each("add", urls, adding);
    each("of it, admission", urls, admission);
    report(&store);
    let cold = known(urls.min(200_000), urls, origins);
    each(
        "test a known link, cold",
        cold.len() as u64,
        spent(THREAD, || test(&store, &cold)),
    );
    let hot = known(urls.min(5_000), urls, origins);
    let again = || (0..100).for_each(|_| test(&store, &hot));
    each(
        "test a known link, hot",
        100 * hot.len() as u64,
        spent(THREAD, again),
    );
    let mut keys = Vec::new();
    let wanted = (urls / 4).min(200_000);
    let taking = spent(THREAD, || keys = take(&store, wanted, origins));
    each("take one", wanted, taking);
    each("finish", wanted, spent(PROCESS, || finish(&store, &keys)));
    report(&store);
    once("close", || drop(store));
    let mut store = None;
    once("open", || store = Some(open()));
    drop(store.take());
    std::fs::remove_file(directory.path().join("bloom")).expect("the Bloom file");
    once("open without a filter", || store = Some(open()));
}

fn attributes(page: u64) -> Attributes {
    Attributes {
        priority: [0.5, 0.65, 0.35][(page % 3) as usize],
        depth: 3,
        hops: 0,
        via: Via::Link,
        kind: Kind::Page,
        source: Some(key(&format!("source {page}"))),
        discovered_at: 1_700_000_000.0 + page as f64,
        is_seed: false,
        parked: false,
        deferred: false,
        foreign: false,
        from_sibling: false,
    }
}

fn href(number: u64, origins: u64) -> String {
    let page = number / LINKS_PER_PAGE;
    let origin = page.wrapping_mul(0x9e37_79b9_7f4a_7c15) % origins;
    format!(
        "https://www.host-{origin}.example/articles/{page}/a-title-of-some-length-{number}.html"
    )
}

fn key(text: &str) -> Key {
    xxh3_128(text.as_bytes()).to_be_bytes()
}

/// What the admissions took of it.
fn add(store: &UrlStore, urls: u64, origins: u64) -> Duration {
    let mut sequence = store.applied();
    let mut admission = Duration::ZERO;
    for start in (0..urls).step_by(FRAME as usize) {
        let end = urls.min(start + FRAME);
        let mut blobs: Vec<Vec<u8>> = Vec::new();
        let pages = (start..end).step_by(LINKS_PER_PAGE as usize);
        admission += spent(THREAD, || {
            blobs = pages
                .map(|first| admit(store, first, end, origins))
                .collect();
        });
        let blobs: Vec<&[u8]> = blobs.iter().map(Vec::as_slice).collect();
        sequence += 1;
        store.apply(sequence, &blobs, &[]).expect("a frame");
    }
    admission
}

fn admit(store: &UrlStore, first: u64, end: u64, origins: u64) -> Vec<u8> {
    let hrefs: Vec<String> = (first..end.min(first + LINKS_PER_PAGE))
        .map(|number| href(number, origins))
        .collect();
    let rows = hrefs
        .iter()
        .map(|href| (href.as_str(), key(href), Kind::Page));
    store
        .admit(rows, attributes(first / LINKS_PER_PAGE), None, None)
        .expect("an admission")
        .data
}

/// Some of the URLs that were added, spread over all of them.
fn known(count: u64, urls: u64, origins: u64) -> Vec<(String, Key)> {
    let hrefs = (0..count).map(|number| href(number * (urls / count), origins));
    hrefs.map(|href| (href.clone(), key(&href))).collect()
}

fn test(store: &UrlStore, links: &[(String, Key)]) {
    for page in links.chunks(80) {
        let rows = page
            .iter()
            .map(|(href, key)| (href.as_str(), *key, Kind::Page));
        let admitted = store.admit(rows, attributes(0), None, None);
        assert_eq!(admitted.expect("an admission").known, page.len() as u64);
    }
}

fn take(store: &UrlStore, count: u64, origins: u64) -> Vec<Key> {
    let mut keys = Vec::new();
    while (keys.len() as u64) < count {
        for origin in 0..origins as u32 {
            keys.extend(
                store
                    .take(origin, 1, None)
                    .expect("a take")
                    .into_iter()
                    .map(|url| url.key),
            );
            if keys.len() as u64 >= count {
                break;
            }
        }
    }
    keys
}

fn finish(store: &UrlStore, keys: &[Key]) {
    let mut sequence = store.applied();
    for frame in keys.chunks(100) {
        sequence += 1;
        let finished: Vec<_> = frame.iter().map(|key| (*key, None)).collect();
        store.apply(sequence, &[], &finished).expect("a frame");
    }
}

fn report(store: &UrlStore) {
    let counts = store.counts();
    println!(
        "{:>26}  {} MiB resident, {} MiB on disk",
        "",
        resident() >> 20,
        counts.bytes_on_disk >> 20
    );
}

fn each(name: &str, count: u64, spent: Duration) {
    println!(
        "{name:>26}: {:.2} µs of CPU ({count})",
        spent.as_secs_f64() * 1e6 / count as f64
    );
}

fn once(name: &str, work: impl FnOnce()) {
    let started = Instant::now();
    work();
    println!("{name:>26}: {:.2} s", started.elapsed().as_secs_f64());
}

const PROCESS: libc::clockid_t = libc::CLOCK_PROCESS_CPUTIME_ID;
const THREAD: libc::clockid_t = libc::CLOCK_THREAD_CPUTIME_ID;

fn spent(clock: libc::clockid_t, work: impl FnOnce()) -> Duration {
    let before = time(clock);
    work();
    time(clock) - before
}

fn time(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clocks exist and the pointer is to a timespec of ours.
    unsafe { libc::clock_gettime(clock, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}
