//! What is read from disk before it is asked for.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::url_store::SharedStore;

const A: &str = "http://a.test/a";
const B: &str = "http://a.test/b";

/// A store that has nothing of its URLs in memory.
fn cold_store(directory: &Path, hrefs: &[&str]) -> UrlStore {
    let store = open(directory);
    add(&store, hrefs, attributes(5, 0.5));
    drop(store);
    open(directory)
}

#[test]
fn a_store_that_is_all_in_memory_has_nothing_to_read() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    add(&store, &[A], attributes(5, 0.5));
    assert!(!read_ahead(&store, &[A, B]));
    let store = UrlStore::in_memory(SMALL).unwrap();
    add(&store, &[A], attributes(5, 0.5));
    assert!(!read_ahead(&store, &[A, B]));
}

#[test]
fn what_was_read_ahead_is_in_memory() {
    let directory = tempfile::tempdir().unwrap();
    let store = cold_store(directory.path(), &[A]);
    store.filters.settle();
    assert!(read_ahead(&store, &[A]));
    assert!(store.known.lock().hot.has(&key(A)));
    assert!(!read_ahead(&store, &[A]), "memory answers now");
    assert_eq!(admit(&store, &[A], attributes(5, 0.5), None).known, 1);
    let closer = admit(&store, &[A], attributes(3, 0.5), None);
    assert_eq!(closer.closer_count, 1, "its depth is known");
}

#[test]
fn the_counts_of_a_host_are_read_for_a_url_that_is_new() {
    let directory = tempfile::tempdir().unwrap();
    let store = cold_store(directory.path(), &[A]);
    store.filters.settle();
    assert!(read_ahead(&store, &[B]));
    assert!(!store.known.lock().hot.has(&key(B)), "nobody knows it");
    assert!(!read_ahead(&store, &[B]), "its host is in memory now");
}

#[test]
fn an_answer_from_before_a_frame_is_not_given_to_memory_after_it() {
    let directory = tempfile::tempdir().unwrap();
    let store = cold_store(directory.path(), &[A]);
    let before = store.known.lock().version;
    let found = admit(&store, &[A], attributes(3, 0.5), None);
    apply(&store, &[&found.closer], &[]);
    assert_ne!(store.known.lock().version, before);
    read_ahead(&store, &[A]);
    assert_eq!(admit(&store, &[A], attributes(4, 0.5), None).known, 1);
}

#[test]
fn a_queue_that_was_read_ahead_hands_out_what_it_would_have() {
    let directory = tempfile::tempdir().unwrap();
    let store = cold_store(directory.path(), &[A, B]);
    store.read_queue_ahead(0, None).unwrap();
    store.read_queue_ahead(99, None).unwrap();
    assert_eq!(take(&store, 1), [A]);
    apply(&store, &[], &[A]);
    store.flush().unwrap();
    store.read_queue_ahead(0, None).unwrap();
    assert_eq!(take(&store, 9), [B]);
}

#[test]
fn reading_ahead_on_another_thread_changes_no_verdict() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (watched, plain) = (open(one.path()), open(two.path()));
    let hrefs: Vec<String> = (0..200)
        .map(|number| format!("http://h{}.test/{number}", number % 5))
        .collect();
    let hrefs: Vec<&str> = hrefs.iter().map(String::as_str).collect();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                read_ahead(&watched, &hrefs);
                (0..5).for_each(|origin| watched.read_queue_ahead(origin, None).unwrap());
            }
        });
        for round in 0..60_usize {
            let some = &hrefs[(round * 7) % 150..][..50];
            let depth = 9 - (round as u32 % 9);
            let admitted = [&watched, &plain].map(|store| {
                let found = admit(store, some, attributes(depth, 0.5), None);
                let ended = &some[..round % 3];
                apply(store, &[&found.data, &found.closer], ended);
                if round % 4 == 0 {
                    store.flush().unwrap();
                }
                (found.count, found.closer_count, found.known)
            });
            assert_eq!(admitted[0], admitted[1], "round {round}");
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_store_that_is_closed_expects_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let shared = SharedStore::new(cold_store(directory.path(), &[A]));
    shared.expect(0, None);
    shared.close().unwrap();
    shared.expect(0, None);
    assert!(shared.run(|store| Ok(store.applied())).is_err());
    let store = open(directory.path());
    assert_eq!(take(&store, 9), [A], "nobody else has it open");
}
