//! A URL whose href changes while it is queued (H3, F6).

use super::super::Synced;
use super::*;

const KEY: Key = [3; 16];
const FOREIGN: &str = "http://a.test/x?utm_source=evil";
const OWN: &str = "http://a.test/x";

fn name(store: &UrlStore, href: &str, host: &str, depth: u32) {
    let rows = std::iter::once((href, KEY, Kind::Page));
    let attributes = attributes(depth, 0.5);
    let found = store.admit_all(rows, attributes, None, None, Some(host), false);
    let found = found.unwrap();
    apply(store, &[&found.data, &found.closer], &[]);
}

fn rename(store: &UrlStore, href: &str, hops: u32) {
    let synced = Synced {
        renamed: &[(KEY, href, hops)],
        ..Synced::default()
    };
    store.apply_synced(store.applied() + 1, synced).unwrap();
}

fn end(store: &UrlStore, href: &str) {
    let synced = Synced {
        finished: &[(KEY, None)],
        depths: &[2],
        lost: &[(KEY, href)],
        ..Synced::default()
    };
    store.apply_synced(store.applied() + 1, synced).unwrap();
}

fn take_of(store: &UrlStore, origin: &str) -> Vec<(String, u32)> {
    let number = store.number(origin).unwrap();
    let taken = store.take(number, 9, None).unwrap();
    taken
        .into_iter()
        .map(|url| (url.href, url.attributes.hops))
        .collect()
}

#[test]
fn h3_a_redirected_url_moves_to_the_queue_of_its_new_origin_with_its_lease() {
    on_both_trees(|store| {
        name(&store, OWN, "a.test", 2);
        assert_eq!(take_of(&store, "http://a.test").len(), 1);
        rename(&store, "http://a.test./x?y", 1);
        let (url, origin, _) = store.renamed(&KEY).unwrap().unwrap();
        assert_eq!(
            (url.href.as_str(), url.attributes.hops),
            ("http://a.test./x?y", 1)
        );
        assert_eq!(store.origin(origin).unwrap(), "http://a.test.");
        assert_eq!(take_of(&store, "http://a.test."), vec![]);
        store.give_back(std::iter::once(&KEY));
        assert_eq!(take_of(&store, "http://a.test"), vec![]);
        assert_eq!(
            take_of(&store, "http://a.test."),
            vec![("http://a.test./x?y".to_owned(), 1)]
        );
        end(&store, "http://a.test./x?y");
        assert_eq!(store.counts().queued, 0);
        assert_eq!(store.counts().finished, 1);
    });
}

#[test]
fn h3_a_redirect_survives_a_crash_with_its_hops() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    name(&store, OWN, "a.test", 2);
    assert_eq!(take_of(&store, "http://a.test").len(), 1);
    rename(&store, "https://www.a.test/x", 4);
    drop(store);
    let store = open(directory.path());
    assert_eq!(take_of(&store, "http://a.test"), vec![]);
    assert_eq!(
        take_of(&store, "https://www.a.test"),
        vec![("https://www.a.test/x".to_owned(), 4)]
    );
}

#[test]
fn h3_a_parked_url_stays_parked_under_its_new_name() {
    on_both_trees(|store| {
        let rows = std::iter::once((OWN, KEY, Kind::Page));
        let found = store
            .admit(rows, attributes(7, 0.5), Some(3), None)
            .unwrap();
        apply(&store, &[&found.data], &[]);
        rename(&store, "http://b.test/x", 1);
        let number = store.number("http://b.test").unwrap();
        assert_eq!(store.take(number, 9, Some(3)).unwrap().len(), 0);
        assert_eq!(store.take(number, 9, Some(7)).unwrap().len(), 1);
    });
}

#[test]
fn h3_what_is_not_queued_or_no_href_is_not_renamed() {
    on_both_trees(|store| {
        rename(&store, OWN, 1);
        assert_eq!(store.state(&KEY).unwrap(), None);
        name(&store, OWN, "a.test", 2);
        for href in [
            "",
            "x",
            "http://b.test",
            &format!("http://b.test/{}", "x".repeat(70_000)),
        ] {
            rename(&store, href, 1);
        }
        assert_eq!(take_of(&store, "http://a.test"), vec![(OWN.to_owned(), 0)]);
        end(&store, OWN);
        rename(&store, "http://b.test/x", 1);
        assert_eq!(store.state(&KEY).unwrap(), Some(State::Finished));
    });
}

#[test]
fn f6_a_queued_url_gets_the_name_of_its_own_host_handed_out_or_not() {
    for (is_taken, depth) in [(false, 2), (false, 1), (true, 2), (true, 1), (true, 3)] {
        on_both_trees(|store| {
            name(&store, FOREIGN, "evil.test", 2);
            if is_taken {
                assert_eq!(take_of(&store, "http://a.test")[0].0, FOREIGN);
            }
            name(&store, OWN, "a.test", depth);
            if is_taken {
                assert_eq!(store.renamed(&KEY).unwrap().unwrap().0.href, OWN);
                store.give_back(std::iter::once(&KEY));
            }
            assert_eq!(take_of(&store, "http://a.test")[0].0, OWN);
            assert!(!store.is_still_foreign(&KEY).unwrap());
            name(&store, "http://a.test/x?a", "a.test", 0);
            assert_eq!(store.counts().seen, 1);
        });
    }
}

#[test]
fn f6_a_url_that_was_lost_by_the_name_of_another_host_is_queued_once_more_by_its_own() {
    on_both_trees(|store| {
        name(&store, FOREIGN, "evil.test", 2);
        end(&store, FOREIGN);
        name(&store, "http://a.test/x?utm_source=worse", "evil.test", 1);
        name(&store, FOREIGN, "a.test", 2);
        assert_eq!(
            store.state(&KEY).unwrap(),
            Some(State::Finished),
            "the same name"
        );
        name(&store, OWN, "a.test", 2);
        assert_eq!(store.state(&KEY).unwrap(), Some(State::Queued));
        assert_eq!(take_of(&store, "http://a.test")[0].0, OWN);
        end(&store, OWN);
        name(&store, "http://a.test/x?a", "a.test", 2);
        assert_eq!(
            store.state(&KEY).unwrap(),
            Some(State::Finished),
            "only once"
        );
        let counts = store.counts();
        assert_eq!((counts.seen, counts.queued, counts.finished), (1, 0, 1));
    });
}

#[test]
fn f6_its_own_name_and_its_end_in_one_frame_queue_it_once_more() {
    on_both_trees(|store| {
        name(&store, FOREIGN, "evil.test", 2);
        let rows = std::iter::once((OWN, KEY, Kind::Page));
        let found = store.admit_all(rows, attributes(2, 0.5), None, None, Some("a.test"), false);
        let found = found.unwrap();
        let synced = Synced {
            blobs: &[&found.data, &found.closer],
            finished: &[(KEY, None)],
            depths: &[2],
            lost: &[(KEY, FOREIGN)],
            ..Synced::default()
        };
        store.apply_synced(store.applied() + 1, synced).unwrap();
        assert_eq!(take_of(&store, "http://a.test"), vec![(OWN.to_owned(), 0)]);
    });
}
