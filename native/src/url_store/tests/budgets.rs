//! What hosts and domains may bring: verdicts, and that they are a fold of the frames.

use proptest::prelude::*;

use super::super::budgets::{Answer, Limits, Visit, Visited};
use super::*;

const NOW: f64 = 1_800_000_000.0;
const FEW: Limits = Limits {
    urls_per_shape: 10,
    new_per_minute: 1_000,
    pages_per_host: 30,
    stale_fetches: 3,
    hosts_per_domain: 4,
    sitemaps_per_host: 2,
    foreign_sitemaps_per_host: 2,
    kept_refusals: 5,
};

fn store(limits: Limits) -> UrlStore {
    UrlStore::in_memory(Settings { limits, ..SMALL }).unwrap()
}

fn found(via: Via, at: f64) -> Attributes {
    Attributes {
        via,
        discovered_at: at,
        ..attributes(1, 0.5)
    }
}

fn admit_as(store: &UrlStore, hrefs: &[String], attributes: Attributes) -> Admitted {
    let rows = hrefs
        .iter()
        .map(|href| (href.as_str(), key(href), attributes.kind));
    store.admit(rows, attributes, None, None).unwrap()
}

fn numbered(prefix: &str, numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(|number| format!("{prefix}{number}")).collect()
}

fn reasons(admitted: &Admitted) -> Vec<&'static str> {
    let refused = admitted.refused.iter();
    refused.map(|refused| refused.reason).collect()
}

fn counted(admitted: &Admitted) -> u64 {
    admitted.counted.values().sum()
}

/// A frame with discoveries and with the ends of URLs.
fn frame(store: &UrlStore, blobs: &[&[u8]], visits: &[(&str, Visited<'_>)]) {
    let finished: Vec<_> = visits.iter().map(|(href, _)| (key(href), None)).collect();
    let visits: Vec<_> = visits
        .iter()
        .map(|&(href, visited)| Visit {
            key: key(href),
            href,
            visited,
        })
        .collect();
    let sequence = store.applied() + 1;
    store
        .apply_visited(sequence, blobs, &finished, &visits)
        .unwrap();
}

const STALE: Visited<'static> = fetched(false, None);
const NOVEL: Visited<'static> = fetched(true, None);

const fn fetched(is_novel: bool, text: Option<Key>) -> Visited<'static> {
    Visited::Fetched(Answer {
        is_novel,
        text,
        has_new_links: true,
    })
}

#[test]
fn f6_a_host_may_have_so_many_urls_of_one_shape_whether_they_are_applied_or_not() {
    let store = store(FEW);
    let link = found(Via::Link, NOW);
    let first = admit_as(&store, &numbered("http://a.test/p/", 0..6), link);
    let second = admit_as(&store, &numbered("http://a.test/p/", 6..12), link);
    assert_eq!((first.count, second.count), (6, 4));
    assert_eq!(reasons(&second), ["shape"; 2]);
    frame(&store, &[&first.data, &second.data], &[]);
    let third = admit_as(
        &store,
        &[
            "http://a.test/p/77".into(),
            "https://a.test:8443/p/78".into(),
            "http://a.test/q/1".into(),
            "http://b.test/p/1".into(),
        ],
        link,
    );
    assert_eq!((third.count, reasons(&third)), (2, vec!["shape"; 2]));
    assert_eq!(store.facts("http://a.test/p/9").unwrap().urls_of_shape, 10);
}

#[test]
fn f6_what_a_sitemap_lists_is_limited_by_the_pages_of_its_host_and_a_seed_by_nothing() {
    let store = store(FEW);
    let listed = admit_as(
        &store,
        &numbered("http://a.test/p/", 0..40),
        found(Via::Sitemap, NOW),
    );
    assert_eq!(
        (listed.count, listed.refused.len(), counted(&listed)),
        (30, 5, 5)
    );
    let seed = Attributes {
        is_seed: true,
        ..found(Via::Seed, NOW)
    };
    let seeds = admit_as(&store, &numbered("http://a.test/p/", 100..150), seed);
    assert_eq!(seeds.count, 50);
}

#[test]
fn f6_the_first_refusals_are_kept_and_the_others_counted_and_judged_again() {
    let store = store(FEW);
    let link = found(Via::Link, NOW);
    let admitted = admit_as(&store, &numbered("http://a.test/p/", 0..10), link);
    let flood = admit_as(&store, &numbered("http://a.test/p/", 10..1_000), link);
    assert_eq!((flood.count, flood.refused.len()), (0, 5));
    assert_eq!(flood.counted[&("a.test".to_owned(), "shape")], 985);
    let ended: Vec<_> = flood
        .refused
        .iter()
        .map(|refused| (refused.href.as_str(), Visited::Refused(refused.reason)))
        .collect();
    frame(&store, &[&admitted.data], &ended);
    let again = admit_as(&store, &numbered("http://a.test/p/", 10..1_000), link);
    assert_eq!(
        (again.known, again.refused.len(), counted(&again)),
        (5, 0, 985)
    );
}

#[test]
fn f6_links_above_the_rate_wait_behind_all_others_until_the_host_has_too_many() {
    let limits = Limits {
        new_per_minute: 10,
        urls_per_shape: 1_000,
        ..FEW
    };
    let store = store(limits);
    let first = admit_as(
        &store,
        &numbered("http://a.test/p/", 0..25),
        found(Via::Link, NOW),
    );
    assert_eq!((first.count, first.refused.len()), (25, 0));
    let groups = discoveries::decode(&first.data).unwrap();
    let deferred: Vec<_> = groups
        .iter()
        .map(|group| (group.attributes.deferred, group.rows.len()))
        .collect();
    assert_eq!(deferred, [(false, 10), (true, 15)]);
    frame(&store, &[&first.data], &[]);
    let second = admit_as(
        &store,
        &numbered("http://a.test/p/", 25..40),
        found(Via::Link, NOW + 1.0),
    );
    assert_eq!(
        (second.count, reasons(&second)),
        (5, vec!["discovery_rate"; 5])
    );
    let later = admit_as(
        &store,
        &numbered("http://a.test/p/", 100..110),
        found(Via::Link, NOW + 60.0),
    );
    assert_eq!(later.count, 10);
    let order = take(&store, 25);
    assert_eq!(order.len(), 25);
    assert_eq!(order[0], "http://a.test/p/0");
}

#[test]
fn f6_a_sitemap_does_not_use_up_the_rate() {
    let limits = Limits {
        new_per_minute: 5,
        ..Limits::NONE
    };
    let store = store(limits);
    admit_as(
        &store,
        &numbered("http://a.test/p/", 0..50),
        found(Via::Sitemap, NOW),
    );
    let links = admit_as(
        &store,
        &numbered("http://a.test/q/", 0..5),
        found(Via::Link, NOW),
    );
    let groups = discoveries::decode(&links.data).unwrap();
    assert!(groups.iter().all(|group| !group.attributes.deferred));
}

#[test]
fn f6_a_shape_without_novelty_loses_its_budget_and_heals() {
    let store = store(FEW);
    let link = found(Via::Link, NOW);
    let pages = numbered("http://a.test/p/", 0..8);
    let admitted = admit_as(&store, &pages, link);
    frame(&store, &[&admitted.data], &[]);
    assert_eq!(
        store.worth(&pages[7], &key(&pages[7]), false).unwrap(),
        None
    );
    let stale: Vec<_> = pages[..3]
        .iter()
        .map(|href| (href.as_str(), STALE))
        .collect();
    frame(&store, &[], &stale);
    assert_eq!(
        store.worth(&pages[7], &key(&pages[7]), false).unwrap(),
        Some("no_novelty")
    );
    let new = [
        "http://a.test/p/90".to_owned(),
        "http://a.test/q/1".to_owned(),
    ];
    let found = admit_as(&store, &new, link);
    assert_eq!((found.count, reasons(&found)), (1, vec!["no_novelty"]));
    frame(&store, &[], &[(&pages[3], NOVEL)]);
    assert_eq!(
        store.worth(&pages[7], &key(&pages[7]), false).unwrap(),
        None
    );
}

#[test]
fn f6_one_url_in_a_hundred_of_a_shape_without_novelty_is_let_through() {
    let limits = Limits {
        stale_fetches: 3,
        ..Limits::NONE
    };
    let store = store(limits);
    let link = found(Via::Link, NOW);
    let pages = numbered("http://a.test/p/", 0..3);
    let admitted = admit_as(&store, &pages, link);
    let stale: Vec<_> = pages.iter().map(|href| (href.as_str(), STALE)).collect();
    frame(&store, &[&admitted.data], &[]);
    frame(&store, &[], &stale);
    let found = admit_as(&store, &numbered("http://a.test/p/", 3..10_000), link);
    assert!((50..200).contains(&found.count), "{}", found.count);
}

/// A page with new links, and with the text of this number.
fn shown(text: u8) -> Visited<'static> {
    fetched(true, Some([text; 16]))
}

/// `http://a.test` with a path in which `*` is a token that no other URL has.
fn with_token(path: &str, number: u64) -> String {
    let token = format!("{:016x}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let token = token.replace(['0', '5', 'a'], "kz");
    format!("http://a.test{}", path.replace('*', &token[..12]))
}

#[test]
fn f6_a_text_that_its_host_has_shown_is_nothing_new_and_that_of_another_host_is() {
    let store = store(FEW);
    let pages = numbered("http://a.test/p/", 0..5);
    let visits: Vec<_> = pages.iter().map(|href| (href.as_str(), shown(1))).collect();
    frame(&store, &[], &visits[..2]);
    frame(&store, &[], &visits[2..]);
    assert_eq!(store.facts(&pages[0]).unwrap().stale_fetches, 4);
    frame(&store, &[], &[("http://b.test/p/1", shown(1))]);
    assert_eq!(store.facts("http://b.test/p/2").unwrap().stale_fetches, 0);
    frame(&store, &[], &[("http://a.test/p/9", shown(2))]);
    assert_eq!(store.facts(&pages[0]).unwrap().stale_fetches, 0);
}

#[test]
fn f6_a_session_id_in_every_link_loses_its_budget_wherever_it_stands() {
    for scheme in [
        "/*/page?",
        "/~*/page?",
        "/page?zz=*&",
        "/page?",
        "/*/*/page?",
    ] {
        let store = store(FEW);
        let scheme = if scheme == "/page?" {
            "/page?*&"
        } else {
            scheme
        };
        let path = |page: u64| format!("{scheme}n={page}");
        let hrefs: Vec<String> = (0..12).map(|n| with_token(&path(n % 3), n)).collect();
        for (n, href) in (0..).zip(&hrefs) {
            frame(&store, &[], &[(href, shown(n % 3))]);
        }
        let new = with_token(&path(7), 99);
        assert_eq!(
            store.worth(&new, &key(&new), false).unwrap(),
            Some("no_novelty"),
            "{scheme}"
        );
        assert!(store.facts(&new).unwrap().stale_fetches_of_parts >= 3);
        for honest in ["http://a.test/page?n=7", "http://a.test/about/page?n=1"] {
            assert_eq!(
                store.worth(honest, &key(honest), false).unwrap(),
                None,
                "{scheme}"
            );
        }
        frame(&store, &[], &[(&with_token(&path(8), 100), shown(8))]);
        assert_eq!(
            store.worth(&new, &key(&new), false).unwrap(),
            None,
            "{scheme}"
        );
    }
}

#[test]
fn f6_an_endless_list_says_nothing_of_another_and_an_alias_says_nothing_at_all() {
    let store = store(FEW);
    for n in 0..9 {
        frame(&store, &[], &[(&with_token("/list?after=*", n), shown(1))]);
    }
    let (same, other) = (
        with_token("/list?after=*", 50),
        with_token("/forum?after=*", 51),
    );
    assert_eq!(
        store.worth(&same, &key(&same), false).unwrap(),
        Some("no_novelty")
    );
    assert_eq!(store.worth(&other, &key(&other), false).unwrap(), None);
    let alias = Visited::Fetched(Answer {
        is_novel: true,
        text: Some([2; 16]),
        has_new_links: false,
    });
    for n in 0..9 {
        frame(&store, &[], &[(&with_token("/wiki/*", n), alias)]);
    }
    let page = with_token("/wiki/*", 60);
    assert_eq!(store.worth(&page, &key(&page), false).unwrap(), None);
}

#[test]
fn d5_a_domain_may_have_so_many_hosts_and_its_refusals_are_bounded() {
    let store = store(FEW);
    let link = found(Via::Link, NOW);
    let hosts: Vec<String> = (0..100)
        .map(|number| format!("http://h{number}.farm.example/"))
        .collect();
    let admitted = admit_as(&store, &hosts, link);
    assert_eq!((admitted.count, admitted.refused.len()), (4, 5));
    assert_eq!(counted(&admitted), 91);
    let ended: Vec<_> = admitted
        .refused
        .iter()
        .map(|refused| (refused.href.as_str(), Visited::Refused(refused.reason)))
        .collect();
    frame(&store, &[&admitted.data], &ended);
    let more = admit_as(
        &store,
        &[
            "http://x.farm.example/".into(),
            "http://h0.farm.example/a".into(),
            "http://other.example/".into(),
        ],
        link,
    );
    assert_eq!((more.count, more.refused.len(), counted(&more)), (2, 0, 1));
    assert_eq!(store.facts(&hosts[0]).unwrap().hosts_of_domain, 4);
}

#[test]
fn d2_sitemap_files_of_a_host_are_limited() {
    let store = store(FEW);
    let file = Attributes {
        kind: Kind::Sitemap,
        ..found(Via::Sitemap, NOW)
    };
    let files = numbered("http://a.test/sitemap-", 0..4);
    let admitted = admit_as(&store, &files, file);
    assert_eq!(
        (admitted.count, reasons(&admitted)),
        (2, vec!["too_many_sitemaps"; 2])
    );
    let facts = store.facts(&files[0]).unwrap();
    frame(&store, &[&admitted.data], &[]);
    let after = store.facts(&files[0]).unwrap();
    assert_eq!((facts.sitemaps_of_host, after.sitemaps_of_host), (0, 2));
    assert_eq!(after.pages_of_host, 0);
}

#[test]
fn what_is_never_written_does_not_count() {
    let store = store(FEW);
    let link = found(Via::Link, NOW);
    for _ in 0..5 {
        let admitted = admit_as(&store, &numbered("http://a.test/p/", 0..10), link);
        assert_eq!(admitted.count, 10);
        store
            .forget_pending([admitted.data.as_slice()].into_iter())
            .unwrap();
    }
}

#[test]
fn a_refusal_that_is_never_written_is_told_again_f6() {
    let store = store(FEW);
    let link = found(Via::Link, NOW);
    let filled = admit_as(&store, &numbered("http://a.test/p/", 0..10), link);
    frame(&store, &[&filled.data], &[]);
    for _ in 0..5 {
        let refused = admit_as(&store, &numbered("http://a.test/p/", 10..12), link);
        assert_eq!(reasons(&refused), ["shape"; 2]);
        let rows = refused.refused.iter();
        store.forget_refused(rows.map(|one| (one.href.as_str(), one.key, one.reason)));
    }
}

/// Frames of some URLs on few hosts: what was found, and how some of it ended.
fn frames() -> impl Strategy<Value = Vec<Vec<(u8, u8, u8)>>> {
    let url = (0u8..3, 0u8..90, 0u8..4);
    proptest::collection::vec(proptest::collection::vec(url, 1..40), 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn f5_counts_are_a_fold_of_the_frames_whatever_the_limits_and_the_restarts(frames in frames()) {
        let directory = tempfile::tempdir().unwrap();
        let mut live = UrlStore::open(directory.path(), Settings { limits: FEW, ..SMALL }).unwrap();
        let other = store(Limits::NONE);
        let mut hrefs = Vec::new();
        for (number, urls) in frames.iter().enumerate() {
            let found: Vec<String> = urls.iter().map(|(host, shape, n)| format!("http://h{host}.x.example/s{shape}x/{n}")).collect();
            let link = super::budgets::found(Via::Link, NOW + number as f64 * 40.0);
            let admitted = admit_as(&live, &found, link);
            let visits: Vec<_> = urls.iter().zip(&found).take(9)
                .map(|((_, _, n), href)| (href.as_str(), [STALE, NOVEL, shown(n % 2), Visited::Refused("shape")][*n as usize]))
                .collect();
            for store in [&live, &other] {
                frame(store, &[&admitted.data], &visits);
            }
            if number % 3 == 1 {
                drop(live);
                live = UrlStore::open(directory.path(), Settings { limits: FEW, ..SMALL }).unwrap();
            }
            hrefs.extend(found);
        }
        for href in &hrefs {
            prop_assert_eq!(live.facts(href).unwrap(), other.facts(href).unwrap());
        }
    }
}
