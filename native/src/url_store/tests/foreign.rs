//! What other hosts name must not cost a host its own pages (F6, D5).

use super::super::budgets::{Answer, Limits, Visit, Visited};
use super::*;

const FEW: Limits = Limits {
    urls_per_shape: 10,
    stale_fetches: 3,
    hosts_per_domain: 4,
    sitemaps_per_host: 2,
    foreign_sitemaps_per_host: 2,
    ..Limits::NONE
};
const OWN: &str = "a.test";
const OTHER: &str = "evil.test";
const STALE: Visited<'static> = answer(false, None);

const fn answer(is_novel: bool, text: Option<Key>) -> Visited<'static> {
    Visited::Fetched(Answer {
        is_novel,
        text,
        has_new_links: false,
    })
}

fn open_few(directory: &Path) -> UrlStore {
    let limits = FEW;
    UrlStore::open(directory, Settings { limits, ..SMALL }).unwrap()
}

fn store() -> UrlStore {
    let limits = FEW;
    UrlStore::in_memory(Settings { limits, ..SMALL }).unwrap()
}

fn found_on(store: &UrlStore, host: &str, hrefs: &[String], depth: u32) -> Admitted {
    let rows = hrefs
        .iter()
        .map(|href| (href.as_str(), key(href), Kind::Page));
    let attributes = attributes(depth, 0.5);
    store
        .admit_all(rows, attributes, None, None, Some(host), false)
        .unwrap()
}

fn frame(store: &UrlStore, found: &[&Admitted], visits: &[(&str, Visited<'_>)]) {
    let blobs: Vec<&[u8]> = found
        .iter()
        .flat_map(|found| [found.data.as_slice(), found.closer.as_slice()])
        .collect();
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
        .apply_visited(sequence, &blobs, &finished, &visits)
        .unwrap();
}

fn items(numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers
        .map(|number| format!("http://a.test/item/{number}"))
        .collect()
}

fn all<'a>(hrefs: &'a [String], visited: Visited<'static>) -> Vec<(&'a str, Visited<'static>)> {
    hrefs.iter().map(|href| (href.as_str(), visited)).collect()
}

fn worth(store: &UrlStore, href: &str, foreign: bool) -> Option<&'static str> {
    store.worth(href, &key(href), foreign).unwrap()
}

/// Three URLs that only another host names, and that are not there; and one that waits.
fn spend_the_budget_of_others(store: &UrlStore) -> String {
    let junk = items(900..904);
    frame(store, &[&found_on(store, OTHER, &junk, 1)], &[]);
    frame(store, &[], &all(&junk[..3], STALE));
    junk[3].clone()
}

#[test]
fn f6_what_others_name_and_is_not_there_costs_the_host_nothing_and_ends() {
    let store = store();
    let waiting = spend_the_budget_of_others(&store);
    assert_eq!(worth(&store, &waiting, true), Some("no_novelty"));
    let more = found_on(&store, OTHER, &items(910..913), 1);
    assert_eq!((more.count, more.refused.len()), (0, 0));
    assert_eq!(more.counted[&(OWN.to_owned(), "no_novelty")], 3);
    let own = found_on(&store, OWN, &items(1..9), 3);
    assert_eq!(own.count, 8);
    frame(&store, &[&own], &[]);
    assert_eq!(worth(&store, &items(1..2)[0], false), None);
    assert_eq!(found_on(&store, OWN, &items(910..912), 3).count, 2);
}

#[test]
fn f6_urls_of_a_shape_that_others_name_leave_room_for_as_many_of_its_own() {
    let store = store();
    let others = found_on(&store, OTHER, &items(900..920), 1);
    assert_eq!((others.count, others.refused.len()), (10, 0));
    frame(&store, &[&others], &[]);
    assert_eq!(found_on(&store, OWN, &items(1..15), 3).count, 10);
}

#[test]
fn f6_a_text_that_a_url_of_others_showed_first_is_new_on_the_hosts_own() {
    let store = store();
    let aliases = items(900..904);
    frame(&store, &[&found_on(&store, OTHER, &aliases, 1)], &[]);
    let own = items(1..9);
    frame(&store, &[&found_on(&store, OWN, &own, 3)], &[]);
    for number in 0..4u8 {
        let page = answer(true, Some([number + 1; 16]));
        frame(&store, &[], &[(&aliases[usize::from(number)], page)]);
        frame(&store, &[], &[(&own[usize::from(number)], page)]);
    }
    assert_eq!(worth(&store, &own[7], false), None);
}

#[test]
fn f6_a_waiting_url_of_others_is_the_hosts_own_from_the_first_page_that_names_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = open_few(directory.path());
    let waiting = spend_the_budget_of_others(&store);
    let named = found_on(&store, OWN, std::slice::from_ref(&waiting), 7);
    assert_eq!((named.count, named.known, named.closer_count), (0, 1, 1));
    assert_eq!(worth(&store, &waiting, true), None, "before its frame");
    frame(&store, &[&named], &[]);
    for _ in 0..2 {
        assert_eq!(worth(&store, &waiting, true), None);
        assert_eq!(state(&store, &waiting), Some(State::Queued));
        let again = found_on(&store, OWN, std::slice::from_ref(&waiting), 7);
        assert_eq!((again.known, again.closer_count), (1, 0));
        drop(store);
        store = open_few(directory.path());
    }
    frame(&store, &[], &[(&waiting, STALE)]);
    assert_eq!(store.facts(&waiting).unwrap().stale_fetches, 1);
}

#[test]
fn f6_a_refused_url_of_others_is_new_to_the_first_page_of_its_host_that_names_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = open_few(directory.path());
    let waiting = spend_the_budget_of_others(&store);
    frame(&store, &[], &[(&waiting, Visited::Refused("no_novelty"))]);
    drop(store);
    store = open_few(directory.path());
    assert_eq!(state(&store, &waiting), Some(State::Finished));
    let urls = std::slice::from_ref(&waiting);
    assert_eq!(found_on(&store, OTHER, urls, 2).known, 1);
    let named = found_on(&store, OWN, urls, 7);
    assert_eq!((named.count, named.known), (1, 0));
    frame(&store, &[&named], &[]);
    assert_eq!(state(&store, &waiting), Some(State::Queued));
    assert_eq!(take(&store, 9), std::slice::from_ref(&waiting));
    assert_eq!(worth(&store, &waiting, false), None);
    frame(&store, &[], &[(&waiting, STALE)]);
    assert_eq!(found_on(&store, OWN, urls, 7).known, 1);
    let counts = store.counts();
    assert_eq!((counts.seen, counts.queued, counts.finished), (4, 0, 4));
}

#[test]
fn f6_a_refusal_and_the_page_that_names_it_may_share_a_frame_or_come_in_turn() {
    for is_shared in [true, false] {
        let store = store();
        let waiting = spend_the_budget_of_others(&store);
        assert_eq!(take(&store, 9), std::slice::from_ref(&waiting));
        let named = found_on(&store, OWN, std::slice::from_ref(&waiting), 7);
        let refused = [(waiting.as_str(), Visited::Refused("no_novelty"))];
        if is_shared {
            frame(&store, &[&named], &refused);
        } else {
            frame(&store, &[], &refused);
            frame(&store, &[&named], &[]);
        }
        assert_eq!(state(&store, &waiting), Some(State::Queued), "{is_shared}");
        assert_eq!(
            take(&store, 9),
            std::slice::from_ref(&waiting),
            "{is_shared}"
        );
        let counts = store.counts();
        assert_eq!((counts.seen, counts.queued, counts.finished), (4, 1, 3));
    }
}

#[test]
fn d5_a_shorter_path_that_others_name_leaves_a_url_the_hosts_own() {
    let store = store();
    let own = items(1..2);
    frame(&store, &[&found_on(&store, OWN, &own, 7)], &[]);
    frame(&store, &[&found_on(&store, OTHER, &own, 1)], &[]);
    let taken = store.take(0, 1, None).unwrap();
    assert_eq!(taken[0].attributes.depth, 1);
    assert!(!taken[0].attributes.foreign);
}

#[test]
fn f6_two_hosts_that_link_to_each_other_end_by_the_run_of_what_others_name() {
    let store = store();
    let mut fetched = 0;
    for round in 0..20 {
        let found = found_on(&store, OTHER, &items(100 * round..100 * round + 4), round);
        frame(&store, &[&found], &[]);
        let taken = take(&store, 9);
        let (worthy, refused): (Vec<_>, Vec<_>) = taken
            .into_iter()
            .partition(|href| worth(&store, href, true).is_none());
        fetched += worthy.len();
        frame(&store, &[], &all(&refused, Visited::Refused("no_novelty")));
        frame(&store, &[], &all(&worthy, STALE));
    }
    assert!((3..=10).contains(&fetched), "{fetched}");
}

#[test]
fn d5_a_host_without_an_address_gives_its_place_in_the_domain_back_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = open_few(directory.path());
    let hosts: Vec<String> = (0..9)
        .map(|n| format!("http://h{n}.farm.example/"))
        .collect();
    let first = found_on(&store, OTHER, &hosts[..6], 1);
    assert_eq!((first.count, first.refused.len()), (4, 0));
    frame(&store, &[&first], &[]);
    frame(&store, &[], &all(&hosts[..2], Visited::Unnamed));
    frame(&store, &[], &all(&hosts[..2], Visited::Unnamed));
    assert_eq!(store.facts(&hosts[0]).unwrap().hosts_of_domain, 2);
    drop(store);
    store = open_few(directory.path());
    let second = found_on(&store, OTHER, &hosts[4..], 1);
    assert_eq!(second.count, 2);
    frame(&store, &[&second], &[]);
    let again = [format!("{}more", hosts[0])];
    assert_eq!(found_on(&store, OTHER, &again, 1).count, 0);
    assert_eq!(store.facts(&hosts[0]).unwrap().hosts_of_domain, 4);
}

#[test]
fn d5_the_host_of_a_seed_is_wanted() {
    let store = store();
    let seed = Attributes {
        via: Via::Seed,
        is_seed: true,
        ..attributes(0, 1.0)
    };
    add(&store, &["http://seed.test/"], seed);
    add(&store, &["http://found.test/"], attributes(1, 0.5));
    assert!(store.is_wanted("seed.test").unwrap());
    assert!(!store.is_wanted("found.test").unwrap());
}

#[test]
fn d5_hosts_that_only_strangers_name_leave_room_for_those_of_the_domain() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = open_few(directory.path());
    let names = |word: &str| {
        (0..6)
            .map(|n| format!("http://{word}{n}.shop.test/"))
            .collect()
    };
    let (junk, own): (Vec<String>, Vec<String>) = (names("junk"), names("own"));
    let strange = found_on(&store, "stranger.test", &junk, 1);
    assert_eq!(strange.count, 4);
    assert_eq!(found_on(&store, "stranger.test", &own, 1).count, 0);
    frame(&store, &[&strange], &[]);
    drop(store);
    store = open_few(directory.path());
    let first = found_on(&store, "www.shop.test", &own[..2], 1);
    let second = found_on(&store, "www.shop.test", &own[2..], 1);
    assert_eq!((first.count, second.count), (2, 2));
    frame(&store, &[&first, &second], &[]);
    assert!(store.is_own("own0.shop.test").unwrap());
    assert!(store.is_own("www.shop.test").unwrap() && store.is_own("shop.test").unwrap());
    assert!(!store.is_own("junk0.shop.test").unwrap());
    assert_eq!(store.facts(&junk[0]).unwrap().hosts_of_domain, 4);
    assert_eq!(store.facts(&own[0]).unwrap().hosts_of_domain, 4);
}

#[test]
fn d5_a_host_that_a_stranger_named_first_becomes_the_domains_own_when_the_domain_names_it() {
    let store = store();
    let hrefs = ["http://s.shop.test/".to_owned()];
    let strange = found_on(&store, "stranger.test", &hrefs, 1);
    frame(&store, &[&strange], &[]);
    let itself = found_on(
        &store,
        "s.shop.test",
        &["http://s.shop.test/b".to_owned()],
        2,
    );
    frame(&store, &[&itself], &[]);
    assert!(!store.is_own("s.shop.test").unwrap());
    let own = found_on(&store, "www.shop.test", &hrefs, 5);
    assert_eq!((own.count, own.closer_count), (0, 1));
    let again = found_on(&store, "www.shop.test", &hrefs, 5);
    assert_eq!(again.closer_count, 0);
    frame(&store, &[&own], &[]);
    assert!(store.is_own("s.shop.test").unwrap());
    assert_eq!(found_on(&store, "www.shop.test", &hrefs, 5).closer_count, 0);
    assert_eq!(store.facts(&hrefs[0]).unwrap().hosts_of_domain, 1);
}

fn sitemaps_on(store: &UrlStore, named_by: &str, hrefs: &[String]) -> Admitted {
    let rows = hrefs
        .iter()
        .map(|href| (href.as_str(), key(href), Kind::Sitemap));
    let attributes = Attributes {
        kind: Kind::Sitemap,
        ..attributes(0, 0.5)
    };
    store
        .admit_all(rows, attributes, None, None, Some(named_by), false)
        .unwrap()
}

fn many_sitemaps() -> UrlStore {
    let limits = Limits {
        foreign_sitemaps_per_host: 2,
        ..Limits::NONE
    };
    UrlStore::in_memory(Settings { limits, ..SMALL }).unwrap()
}

#[test]
fn d2_other_domains_may_name_a_few_sitemaps_of_a_host_all_together() {
    let store = many_sitemaps();
    let maps = items(0..9);
    let named = sitemaps_on(&store, OTHER, &maps[..3]);
    assert_eq!((named.count, named.refused.len()), (2, 0));
    assert_eq!(named.counted[&(OTHER.to_owned(), "foreign_sitemaps")], 1);
    frame(&store, &[&named], &[]);
    assert_eq!(sitemaps_on(&store, "third.test", &maps[3..5]).count, 0);
    assert_eq!(sitemaps_on(&store, "www.a.test", &maps[4..7]).count, 3);
    assert_eq!(sitemaps_on(&store, OWN, &maps).count, 4);
}

#[test]
fn d2_one_file_may_name_ten_sitemaps_of_other_domains() {
    let store = many_sitemaps();
    let victims: Vec<String> = (0..30)
        .map(|number| format!("http://v{number}.test/map.xml"))
        .collect();
    let named = sitemaps_on(&store, OTHER, &victims);
    assert_eq!(named.count, 10);
    assert_eq!(named.counted[&(OTHER.to_owned(), "foreign_sitemaps")], 20);
}

#[test]
fn d7_a_page_that_was_only_fetched_as_a_requisite_is_new_to_a_page_of_its_own_host() {
    let store = store();
    let page = items(1..2);
    let picture = |on: &str| {
        let urls = page
            .iter()
            .map(|href| (href.as_str(), key(href), Kind::Requisite));
        let attributes = Attributes {
            kind: Kind::Requisite,
            via: Via::Requisite,
            ..attributes(2, 0.5)
        };
        store
            .admit_all(urls, attributes, None, None, Some(on), false)
            .unwrap()
    };
    frame(&store, &[&picture(OWN)], &[]);
    frame(&store, &[], &[(&page[0], Visited::Unread)]);
    assert_eq!(state(&store, &page[0]), Some(State::Finished));
    assert_eq!(picture(OWN).count, 0, "it is no other picture");
    assert_eq!(found_on(&store, OTHER, &page, 1).count, 0);
    let own = found_on(&store, OWN, &page, 3);
    assert_eq!(own.count, 1);
    frame(&store, &[&own], &[]);
    assert_eq!(state(&store, &page[0]), Some(State::Queued));
    frame(&store, &[], &[(&page[0], answer(true, None))]);
    assert_eq!(found_on(&store, OWN, &page, 3).count, 0);
}
