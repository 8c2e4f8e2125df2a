//! What the URL store does for a page: its links admitted, and its share of a frame applied, one URL taken and
//! one finished. In memory: the tree on disk has threads of its own, whose instructions fall when they like.

use std::hint::black_box;

use hondius_native::fetched::Kind;
use hondius_native::scope::{self, LinkPolicy, Pieces, Rules, Scope};
use hondius_native::url::Key;
use hondius_native::url_store::attributes::{Attributes, Via};
use hondius_native::url_store::budgets::Limits;
use hondius_native::url_store::{Settings, UrlStore};
use xxhash_rust::xxh3::xxh3_128;

use crate::{Kernel, MOST_LAPS};

/// Of a frame, each on a host of its own.
const PAGES: usize = 20;
/// Of a page: the navigation of its site, again and again.
const KNOWN_LINKS: usize = 68;
const NEW_LINKS: usize = 12;
const STARTED_AT: f64 = 1_794_729_600.0;
const SECONDS_A_FRAME: f64 = 30.0;

type Links = Vec<(String, Key)>;

struct Frames {
    store: UrlStore,
    policy: LinkPolicy,
    /// By page of the frame.
    navigation: Vec<Links>,
    /// By frame and page.
    news: Vec<Vec<Links>>,
    taken: Vec<(Key, Option<Key>)>,
}

pub fn frame() -> Kernel {
    let mut frames = Frames::new();
    Kernel {
        operations: PAGES,
        lap: Box::new(move |lap| frames.turn(lap)),
    }
}

impl Frames {
    fn new() -> Self {
        let navigation = |page| links(KNOWN_LINKS, |link| format!("{}/menu/{link}", host(page)));
        let news = |frame: usize, page| {
            links(NEW_LINKS, |link| {
                format!("{}/articles/a-title-{frame}/part-{link}.html", host(page))
            })
        };
        Frames {
            store: UrlStore::in_memory(settings()).expect("a store"),
            policy: LinkPolicy::new(rules()).expect("a policy"),
            navigation: (0..PAGES).map(navigation).collect(),
            news: (0..MOST_LAPS)
                .map(|frame| (0..PAGES).map(|page| news(frame, page)).collect())
                .collect(),
            taken: Vec::new(),
        }
    }

    fn turn(&mut self, frame: usize) {
        let at = STARTED_AT + SECONDS_A_FRAME * frame as f64;
        let blobs: Vec<_> = (0..PAGES).map(|page| self.admit(frame, page, at)).collect();
        let blobs: Vec<&[u8]> = blobs.iter().map(Vec::as_slice).collect();
        let awakened = self
            .store
            .apply(frame as u64 + 1, &blobs, &std::mem::take(&mut self.taken));
        black_box(awakened.expect("a frame"));
        for origin in 0..PAGES as u32 {
            let urls = self.store.take(origin, 1, None).expect("a take");
            self.taken.extend(urls.iter().map(|url| (url.key, None)));
            black_box(urls);
        }
        assert_eq!(self.taken.len(), PAGES);
    }

    fn admit(&self, frame: usize, page: usize, at: f64) -> Vec<u8> {
        let links = self.navigation[page].iter().chain(&self.news[frame][page]);
        let rows = links.map(|(href, key)| (href.as_str(), *key, Kind::Page));
        let judge = |url: Pieces<'_>| self.policy.judge(url, at);
        let admitted = self.store.admit(rows, attributes(at), None, Some(&judge));
        admitted.expect("an admission").data
    }
}

fn links(count: usize, href: impl Fn(usize) -> String) -> Links {
    let hrefs = (0..count).map(href);
    hrefs
        .map(|href| (href.clone(), xxh3_128(href.as_bytes()).to_be_bytes()))
        .collect()
}

fn host(page: usize) -> String {
    format!("https://www.host-{page}.example")
}

fn attributes(at: f64) -> Attributes {
    Attributes {
        priority: 0.5,
        depth: 3,
        hops: 0,
        via: Via::Link,
        kind: Kind::Page,
        source: Some([7; 16]),
        discovered_at: at,
        is_seed: false,
        parked: false,
        deferred: false,
        foreign: false,
        from_sibling: false,
    }
}

/// As a crawl's, but for the size of the filter: one that must grow starts a thread.
fn settings() -> Settings {
    Settings {
        capacity: 1_000_000,
        cached_keys: 100_000,
        limits: Limits {
            urls_per_shape: 10_000,
            new_per_minute: 1_000,
            pages_per_host: 100_000,
            stale_fetches: 50,
            hosts_per_domain: 1_000,
            sitemaps_per_host: 50_000,
            foreign_sitemaps_per_host: 20,
            kept_refusals: 1_000,
        },
        ..Settings::default()
    }
}

fn rules() -> Rules {
    Rules {
        scope: Scope::Any,
        include: Vec::new(),
        exclude: Vec::new(),
        skip_extensions: ["pdf", "jpg", "png", "zip", "mp4"]
            .map(str::to_owned)
            .to_vec(),
        requisites: false,
        limits: scope::Limits::default(),
    }
}
