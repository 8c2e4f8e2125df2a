//! What a URL costs: `cargo bench --bench url_store -- URLS ORIGINS [MEMORY MiB]`.
//!
//! Frames of 1,000 discoveries, each page's twelve links on one origin, are admitted and applied;
//! known links are tested hot and cold; one URL at a time is taken from every origin in turn and
//! finished; the store is closed and opened again. CPU is that of the whole process, the tree's
//! own threads included; memory is what is resident, also of the Bloom file.

use std::path::Path;
use std::time::{Duration, Instant};

use hondius_native::fetched::Kind;
use hondius_native::url::Key;
use hondius_native::url_store::attributes::{Attributes, Via};
use hondius_native::url_store::{Settings, UrlStore};
use xxhash_rust::xxh3::xxh3_128;

const FRAME: u64 = 1_000;
const LINKS_PER_PAGE: u64 = 12;

fn main() {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let urls = numbers.first().copied().unwrap_or(1_000_000);
    let origins = numbers.get(1).copied().unwrap_or(urls / 50).max(1);
    let memory = numbers.get(2).copied().unwrap_or(64) * 1024 * 1024;
    let settings = Settings {
        capacity: 10_000_000,
        cached_keys: 1_000_000,
        memory,
    };
    let directory = tempfile::tempdir().expect("a directory for the store");

    let store = UrlStore::open(directory.path(), settings).expect("a new store");
    measure("add", urls, || add(&store, urls, origins));
    report(&store);
    measure("test a known link, cold", 200_000, || {
        test_known(&store, 200_000, urls, origins)
    });
    let hot = urls.min(5_000);
    test_known(&store, hot, hot, origins);
    measure("test a known link, hot", 100 * hot, || {
        (0..100).for_each(|_| test_known(&store, hot, hot, origins))
    });
    let taken = (urls / 4).min(500_000);
    let mut keys = Vec::new();
    measure("take one", taken, || keys = take(&store, taken, origins));
    measure("finish", keys.len() as u64, || finish(&store, &keys));
    report(&store);
    measure("close", 1, || drop(store));
    measure("open", 1, || {
        drop(UrlStore::open(directory.path(), settings).expect("the store again"))
    });
    std::fs::remove_file(directory.path().join("bloom")).expect("the Bloom file");
    measure("open without a filter, and close", 1, || {
        reopen(directory.path(), settings)
    });
}

fn reopen(directory: &Path, settings: Settings) {
    drop(UrlStore::open(directory, settings).expect("the store again"));
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

fn add(store: &UrlStore, urls: u64, origins: u64) {
    let mut sequence = store.applied();
    for start in (0..urls).step_by(FRAME as usize) {
        let end = urls.min(start + FRAME);
        let blobs: Vec<Vec<u8>> = (start..end)
            .step_by(LINKS_PER_PAGE as usize)
            .map(|first| admit(store, first, end, origins))
            .collect();
        let blobs: Vec<&[u8]> = blobs.iter().map(Vec::as_slice).collect();
        sequence += 1;
        store.apply(sequence, &blobs, &[]).expect("a frame");
    }
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

fn test_known(store: &UrlStore, tests: u64, urls: u64, origins: u64) {
    let step = (urls / tests).max(1);
    let hrefs: Vec<(String, Key)> = (0..tests)
        .map(|number| href(number * step, origins))
        .map(|href| (href.clone(), key(&href)))
        .collect();
    let started = cpu();
    for page in hrefs.chunks(80) {
        let rows = page
            .iter()
            .map(|(href, key)| (href.as_str(), *key, Kind::Page));
        store
            .admit(rows, attributes(0), None, None)
            .expect("an admission");
    }
    LAST.set(cpu() - started + LAST.get());
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
        "{:>34}  {} MiB resident, {} MiB on disk",
        "",
        resident() >> 20,
        counts.bytes_on_disk >> 20
    );
}

thread_local! {
    /// CPU of the part of a measurement that counts, where only a part does.
    static LAST: std::cell::Cell<Duration> = const { std::cell::Cell::new(Duration::ZERO) };
}

fn measure(name: &str, count: u64, work: impl FnOnce()) {
    LAST.set(Duration::ZERO);
    let (started, before) = (Instant::now(), cpu());
    work();
    let (elapsed, spent) = (started.elapsed(), cpu() - before);
    let spent = if LAST.get().is_zero() {
        spent
    } else {
        LAST.get()
    };
    let each = |duration: Duration| duration.as_secs_f64() * 1e6 / count as f64;
    if count == 1 {
        println!(
            "{name:>34}: {:.2} s, {:.2} s of CPU",
            elapsed.as_secs_f64(),
            spent.as_secs_f64()
        );
    } else {
        println!(
            "{name:>34}: {:.2} µs of CPU each, {:.2} µs elapsed ({count})",
            each(spent),
            each(elapsed)
        );
    }
}

/// CPU time of all threads of this process.
fn cpu() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock exists and the pointer is to a timespec of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}
