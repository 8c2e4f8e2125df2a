//! URLs that are known when a shorter path to them is found.

use super::*;
use crate::url_store::Synced;

const A: &str = "http://a.test/a";
const B: &str = "http://a.test/b";
const NO_LIMIT: u32 = u32::MAX;

fn depth(store: &UrlStore, url: &crate::url_store::QueuedUrl) -> u32 {
    let closer = store.closest(&url.key, url.attributes.depth);
    closer.unwrap_or(url.attributes).depth
}

/// Finds it at this depth, and applies that.
fn find_closer(store: &UrlStore, href: &str, depth: u32) {
    let found = admit(store, &[href], attributes(depth, 0.5), None);
    assert_eq!((found.count, found.closer_count), (0, 1));
    apply(store, &[&found.closer], &[]);
}

#[test]
fn a_url_that_waits_is_handed_out_at_its_lowest_depth_and_once() {
    on_both_trees(|store| {
        add(&store, &[A, B], attributes(5, 0.5));
        find_closer(&store, A, 3);
        let taken = store.take(0, 9, None).unwrap();
        let found: Vec<_> = taken
            .iter()
            .map(|url| (url.href.as_str(), depth(&store, url)))
            .collect();
        assert_eq!(found, [(B, 5), (A, 3)]);
        let counts = store.counts();
        assert_eq!((counts.seen, counts.queued, counts.finished), (2, 2, 0));
        assert!(store.rereads(NO_LIMIT, 9).unwrap().is_empty());
    });
}

#[test]
fn a_url_that_is_handed_out_ends_at_its_lowest_depth_also_after_a_kill() {
    let tree = std::sync::Arc::new(crate::url_store::MemoryTree::default());
    let store = UrlStore::on(tree.clone(), SMALL).unwrap();
    add(&store, &[A], attributes(5, 0.5));
    let url = store.take(0, 1, None).unwrap().remove(0);
    let found = admit(&store, &[A], attributes(3, 0.5), None);
    assert_eq!(depth(&store, &url), 3, "before any frame says so");
    apply(&store, &[&found.closer], &[]);
    assert_eq!(depth(&store, &url), 3);
    drop(store);
    let store = UrlStore::on(tree, SMALL).unwrap();
    let url = store.take(0, 1, None).unwrap().remove(0);
    assert_eq!((url.attributes.depth, depth(&store, &url)), (5, 3));
    apply(&store, &[], &[A]);
    assert!(store.closest(&key(A), 5).is_none());
    assert!(store.rereads(NO_LIMIT, 9).unwrap().is_empty());
}

#[test]
fn a_page_that_ended_is_read_again_once_for_each_shorter_path() {
    on_both_trees(|store| {
        add(&store, &[A], attributes(5, 0.5));
        apply(&store, &[], &[A]);
        find_closer(&store, A, 4);
        assert_eq!(store.rereads(4, 9).unwrap(), [], "beyond the limit");
        assert_eq!(store.rereads(5, 9).unwrap(), [(4, key(A))]);
        find_closer(&store, A, 2);
        assert_eq!(store.rereads(5, 9).unwrap(), [(2, key(A))]);
        assert_eq!(state(&store, A), Some(State::Finished));
        let reread = |depth| {
            let synced = Synced {
                reread: &[(depth, key(A))],
                ..Synced::default()
            };
            store.apply_synced(store.applied() + 1, synced).unwrap();
        };
        reread(4);
        assert_eq!(
            store.rereads(5, 9).unwrap(),
            [(2, key(A))],
            "since found closer"
        );
        reread(2);
        assert!(store.rereads(NO_LIMIT, 9).unwrap().is_empty());
        assert_eq!(admit(&store, &[A], attributes(2, 0.5), None).known, 1);
    });
}

#[test]
fn a_page_that_ends_in_the_frame_that_finds_it_closer_is_read_again() {
    on_both_trees(|store| {
        add(&store, &[A], attributes(5, 0.5));
        assert_eq!(take(&store, 1), [A]);
        let found = admit(&store, &[A], attributes(3, 0.5), None);
        let finish = |depth: u32| {
            let synced = Synced {
                blobs: &[&found.closer],
                finished: &[(key(A), None)],
                depths: &[depth],
                ..Synced::default()
            };
            store.apply_synced(store.applied() + 1, synced).unwrap();
            store.rereads(NO_LIMIT, 9).unwrap()
        };
        assert_eq!(finish(5), [(3, key(A))], "its end came before");
    });
}

/// Finds it at this depth; a policy speaks against it.
fn find_forbidden(
    store: &UrlStore,
    depth: u32,
    reason: &'static str,
) -> crate::url_store::Admitted {
    let urls = [(A, key(A), Kind::Page)].into_iter();
    let policy = |_: crate::scope::Pieces<'_>| Some(reason);
    let found = store.admit(urls, attributes(depth, 0.5), Some(4), Some(&policy));
    found.unwrap()
}

#[test]
fn a_shorter_path_counts_while_a_host_is_on_the_blacklist_and_not_where_a_name_is_refused() {
    on_both_trees(|store| {
        let parked = admit(&store, &[A], attributes(5, 0.5), Some(4));
        apply(&store, &[&parked.data], &[]);
        assert_eq!(state(&store, A), Some(State::Parked));
        assert_eq!(find_forbidden(&store, 4, "extension").known, 1);
        let found = find_forbidden(&store, 3, "blacklisted");
        assert_eq!((found.closer_count, found.refused.len()), (1, 0));
        apply(&store, &[&found.closer], &[]);
        assert_eq!(state(&store, A), Some(State::Queued));
        assert_eq!(take(&store, 1), [A]);
    });
}

#[test]
fn a_shorter_path_that_is_taken_back_is_found_again() {
    on_both_trees(|store| {
        let take_back = |found: &crate::url_store::Admitted| {
            let blobs = [found.data.as_slice(), found.closer.as_slice()];
            store.forget_pending(blobs.into_iter()).unwrap();
        };
        let find = |depth| admit(&store, &[A], attributes(depth, 0.5), None);
        add(&store, &[A, B], attributes(5, 0.5));
        for _ in 0..2 {
            let found = find(3);
            assert_eq!((found.count, found.closer_count), (0, 1));
            take_back(&found);
        }
        let url = store.take(0, 1, None).unwrap().remove(0);
        take_back(&find(2));
        assert_eq!(depth(&store, &url), 5, "handed out: nobody says otherwise");
        find_closer(&store, A, 4);
        assert_eq!(depth(&store, &url), 4);
        take_back(&find(2));
        assert_eq!(depth(&store, &url), 4, "a frame says so");
        apply(&store, &[], &[A]);
        take_back(&find(1));
        assert!(store.rereads(NO_LIMIT, 9).unwrap().is_empty());
        find_closer(&store, A, 1);
        assert_eq!(store.rereads(NO_LIMIT, 9).unwrap(), [(1, key(A))]);
    });
}

#[test]
fn an_order_to_fetch_a_page_again_is_obeyed_while_it_is_found_closer() {
    on_both_trees(|store| {
        add(&store, &[A], attributes(5, 0.5));
        apply(&store, &[], &[A]);
        let found = admit(&store, &[A], attributes(3, 0.5), None);
        assert_eq!(state(&store, A), Some(State::Finished));
        let order = Attributes {
            via: Via::Recrawl,
            ..attributes(4, 0.5)
        };
        let again = admit(&store, &[A], order, None);
        assert_eq!(again.count, 1);
        apply(&store, &[&found.closer, &again.data], &[]);
        assert_eq!(state(&store, A), Some(State::Queued));
    });
}

#[test]
fn a_page_that_is_queued_again_and_found_closer_is_read_again_whatever_its_next_answer_is() {
    on_both_trees(|store| {
        add(&store, &[A, B], attributes(5, 0.5));
        apply(&store, &[], &[A, B]);
        let order = Attributes {
            via: Via::Recrawl,
            ..attributes(5, 0.5)
        };
        let again = admit(&store, &[A, B], order, None);
        apply(&store, &[&again.data], &[]);
        assert_eq!(state(&store, A), Some(State::Queued));
        assert!(store.rereads(NO_LIMIT, 9).unwrap().is_empty());
        find_closer(&store, A, 4);
        assert_eq!(store.rereads(NO_LIMIT, 9).unwrap(), [(4, key(A))]);
        assert_eq!(take(&store, 2).len(), 2, "both are handed out");
        find_closer(&store, B, 3);
        let due = store.rereads(NO_LIMIT, 9).unwrap();
        assert_eq!(due, [(3, key(B)), (4, key(A))]);
        apply(&store, &[], &[A, B]);
        assert_eq!(
            store.rereads(NO_LIMIT, 9).unwrap(),
            due,
            "a 304 brings no links"
        );
    });
}

#[test]
fn a_page_that_is_queued_again_and_ends_in_the_frame_that_finds_it_closer_is_read_again() {
    on_both_trees(|store| {
        add(&store, &[A], attributes(5, 0.5));
        apply(&store, &[], &[A]);
        let order = Attributes {
            via: Via::Recrawl,
            ..attributes(5, 0.5)
        };
        let again = admit(&store, &[A], order, None);
        apply(&store, &[&again.data], &[]);
        assert_eq!(take(&store, 1), [A]);
        let found = admit(&store, &[A], attributes(3, 0.5), None);
        let synced = Synced {
            blobs: &[&found.closer],
            finished: &[(key(A), None)],
            depths: &[3],
            ..Synced::default()
        };
        store.apply_synced(store.applied() + 1, synced).unwrap();
        assert_eq!(
            store.rereads(NO_LIMIT, 9).unwrap(),
            [(3, key(A))],
            "it ended at the new depth, perhaps without links"
        );
    });
}
