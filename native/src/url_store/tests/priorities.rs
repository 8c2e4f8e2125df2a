//! URLs that wait and get another priority.

use super::*;
use crate::url_store::Synced;

const A: &str = "http://a.test/a";
const B: &str = "http://a.test/b";
const C: &str = "http://a.test/c";

/// Orders it, and applies that; how many the order moves.
fn reprioritise(store: &UrlStore, hrefs: &[&str], priority: f64) -> u64 {
    let order: Vec<_> = hrefs.iter().map(|href| (key(href), priority)).collect();
    let (data, count) = store.reprioritise(&order).unwrap();
    let order = reprioritise::decode(&data).unwrap();
    let synced = Synced {
        reprioritised: &order,
        ..Synced::default()
    };
    store.apply_synced(store.applied() + 1, synced).unwrap();
    count
}

#[test]
fn a_url_that_waits_changes_its_class_and_nothing_else() {
    on_both_trees(|store| {
        add(&store, &[A, B, C], attributes(5, 0.5));
        assert_eq!(reprioritise(&store, &[C], 0.9), 1);
        let taken = store.take(0, 1, None).unwrap().remove(0);
        assert_eq!(taken.href, C);
        let expected = Attributes {
            priority: 0.9,
            ..attributes(5, 0.5)
        };
        assert_eq!(taken.attributes, expected);
        assert_eq!(take(&store, 9), [A, B]);
        let counts = store.counts();
        assert_eq!((counts.seen, counts.queued, counts.finished), (3, 3, 0));
    });
}

#[test]
fn an_order_of_the_same_class_moves_nothing() {
    on_both_trees(|store| {
        add(&store, &[A, B], attributes(5, 0.5));
        assert_eq!(reprioritise(&store, &[A], 0.51), 0);
        assert_eq!(take(&store, 9), [A, B]);
    });
}

#[test]
fn what_is_parked_deferred_ended_or_unknown_has_no_class_to_change() {
    on_both_trees(|store| {
        let parked = admit(&store, &[A], attributes(5, 0.5), Some(4));
        apply(&store, &[&parked.data], &[]);
        add(&store, &[B], attributes(1, 0.5));
        apply(&store, &[], &[B]);
        assert_eq!(reprioritise(&store, &[A, B, C], 0.9), 0);
        assert_eq!(state(&store, A), Some(State::Parked));
        assert_eq!(state(&store, B), Some(State::Finished));
        assert_eq!(state(&store, C), None);
    });
}

#[test]
fn what_is_handed_out_moves_with_its_lease() {
    on_both_trees(|store| {
        add(&store, &[A, B, C], attributes(5, 0.5));
        assert_eq!(take(&store, 1), [A]);
        assert_eq!(reprioritise(&store, &[A], 0.9), 1);
        assert_eq!(take(&store, 1), [B], "nothing is handed out twice");
        store.give_back([key(A)].iter());
        assert_eq!(take(&store, 1), [A], "it is in its new class");
        apply(&store, &[], &[A]);
        assert_eq!(state(&store, A), Some(State::Finished));
        assert_eq!(take(&store, 9), [C]);
    });
}

#[test]
fn what_was_handed_out_is_in_its_new_class_after_a_kill() {
    let tree = std::sync::Arc::new(crate::url_store::MemoryTree::default());
    let store = UrlStore::on(tree.clone(), SMALL).unwrap();
    add(&store, &[A, B], attributes(5, 0.5));
    assert_eq!(take(&store, 2), [A, B]);
    reprioritise(&store, &[B], 0.9);
    drop(store);
    let store = UrlStore::on(tree, SMALL).unwrap();
    assert_eq!(take(&store, 2), [B, A]);
}

#[test]
fn an_origin_that_is_given_back_while_it_moves_wakes_once_it_is_visible() {
    let store = UrlStore::in_memory(SMALL).unwrap();
    add(&store, &[A], attributes(5, 0.5));
    assert_eq!(take(&store, 1), [A]);
    let mut queues = store.queues.lock();
    assert!(queues.begin_move(key(A)));
    queues.give_back(&key(A));
    assert!(!queues.has_available(0), "the slot is held until then");
    queues.cancel_move(&key(A));
    assert!(queues.has_available(0), "the frame was not written");
}

#[test]
fn what_a_frame_discovers_has_the_priority_that_the_frame_orders() {
    on_both_trees(|store| {
        add(&store, &[A], attributes(5, 0.5));
        let found = admit(&store, &[B], attributes(5, 0.5), None);
        let (data, count) = store.reprioritise(&[(key(B), 0.9)]).unwrap();
        assert_eq!(count, 1);
        let order = reprioritise::decode(&data).unwrap();
        let synced = Synced {
            blobs: &[&found.data],
            reprioritised: &order,
            ..Synced::default()
        };
        store.apply_synced(store.applied() + 1, synced).unwrap();
        assert_eq!(take(&store, 9), [B, A]);
    });
}

#[test]
fn a_shorter_path_that_was_found_meanwhile_is_kept() {
    on_both_trees(|store| {
        add(&store, &[A, B], attributes(5, 0.5));
        assert_eq!(take(&store, 1), [A]);
        let found = admit(&store, &[A], attributes(3, 0.5), None);
        apply(&store, &[&found.closer], &[]);
        store.give_back([key(A)].iter());
        reprioritise(&store, &[A], 0.9);
        let url = store.take(0, 1, None).unwrap().remove(0);
        assert_eq!((url.href.as_str(), url.attributes.depth), (A, 3));
        assert!(store.closest(&key(A), 3).is_none());
        assert_eq!(admit(&store, &[A], attributes(4, 0.5), None).known, 1);
    });
}

#[test]
fn a_url_that_moves_again_and_again_leaves_nothing_behind() {
    on_both_trees(|store| {
        add(&store, &[A, B], attributes(5, 0.5));
        for number in 0..100 {
            let priority = if number % 2 == 0 { 0.9 } else { 0.1 };
            assert_eq!(reprioritise(&store, &[A, B], priority), 2);
        }
        let mut rows = 0;
        let (from, to) = ([b'c'], [b'c' + 1]);
        let mut count = |_: &[u8], _: &[u8]| {
            rows += 1;
            Ok(ControlFlow::Continue(()))
        };
        store.tree.scan(&from, &to, &mut count).unwrap();
        assert_eq!(rows, 1, "one chunk, and no row of ended slots");
        assert_eq!(take(&store, 9), [A, B]);
    });
}

#[test]
fn links_of_one_page_have_priorities_of_their_own() {
    on_both_trees(|store| {
        let priorities = Priorities::of_numbers(&[0.1, 0.9, 0.5]);
        let urls = [A, B, C].into_iter().zip(0..);
        let urls = urls.map(|(href, number)| Found {
            href,
            key: key(href),
            kind: Kind::Page,
            priority: priorities.of(number).filter(|_| number != 2),
        });
        let found = store.admit_found(urls, attributes(5, 0.5), None, None, None, false);
        apply(&store, &[&found.unwrap().data], &[]);
        assert_eq!(take(&store, 9), [B, C, A]);
    });
}
