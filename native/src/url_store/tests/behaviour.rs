use std::sync::Arc;

use super::*;
use crate::page::{Link, LinkKind, Page, directive, rel};

const A: &str = "http://a.test/1";
const B: &str = "http://a.test/2";

#[test]
fn a_url_is_pending_then_queued_then_finished_and_known_all_the_while() {
    on_both_trees(|store| {
        assert_eq!(state(&store, A), None);
        let admitted = admit(&store, &[A, A], attributes(1, 0.5), None);
        assert_eq!((admitted.count, admitted.known), (1, 1));
        assert_eq!(state(&store, A), Some(State::Pending));
        assert!(
            take(&store, 1).is_empty(),
            "only synced frames are handed out"
        );
        apply(&store, &[&admitted.data], &[]);
        assert_eq!(state(&store, A), Some(State::Queued));
        assert_eq!(admit(&store, &[A], attributes(1, 0.5), None).known, 1);
        assert_eq!(take(&store, 5), [A]);
        apply(&store, &[], &[A]);
        assert_eq!(state(&store, A), Some(State::Finished));
        assert_eq!(admit(&store, &[A], attributes(1, 0.5), None).known, 1);
        let counts = store.counts();
        assert_eq!(
            (counts.seen, counts.queued, counts.finished, counts.origins),
            (1, 0, 1, 1)
        );
    });
}

#[test]
fn a_url_that_ended_is_queued_again_when_it_is_asked_for_r4() {
    on_both_trees(|store| {
        let again = Attributes {
            via: Via::Recrawl,
            ..attributes(0, 1.0)
        };
        add(&store, &[A], attributes(1, 0.5));
        assert_eq!(
            admit(&store, &[A], again, None).known,
            1,
            "it waits already"
        );
        apply(&store, &[], &[A]);
        let admitted = admit(&store, &[A, A], again, None);
        assert_eq!((admitted.count, admitted.known), (1, 1));
        apply(&store, &[&admitted.data], &[]);
        assert_eq!(state(&store, A), Some(State::Queued));
        assert_eq!(take(&store, 5), [A]);
        let counts = store.counts();
        assert_eq!((counts.seen, counts.queued, counts.finished), (1, 1, 0));
        apply(&store, &[], &[A]);
        assert_eq!(state(&store, A), Some(State::Finished));
        assert_eq!(admit(&store, &[A], attributes(1, 0.5), None).known, 1);
    });
}

#[test]
fn what_another_frame_named_since_its_admission_is_not_taken_for_new() {
    on_both_trees(|store| {
        let admitted = admit(&store, &[A, B], attributes(1, 0.5), None);
        apply(&store, &[], &[A]);
        apply(&store, &[&admitted.data], &[]);
        assert_eq!(state(&store, A), Some(State::Finished));
        assert_eq!(take(&store, 5), [B]);
        apply(&store, &[&admitted.data], &[]);
        let counts = store.counts();
        assert_eq!((counts.seen, counts.queued, counts.finished), (2, 1, 1));
    });
}

#[test]
fn a_queued_url_tells_all_that_was_known_of_it() {
    on_both_trees(|store| {
        let known = Attributes {
            hops: 2,
            via: Via::Redirect,
            is_seed: true,
            ..attributes(3, 0.123_456_789)
        };
        add(&store, &[A], known);
        let taken = store.take(0, 1, None).unwrap();
        assert_eq!(
            taken,
            [QueuedUrl {
                href: A.into(),
                key: key(A),
                attributes: known
            }]
        );
    });
}

#[test]
fn a_url_is_handed_out_once_until_it_is_given_back_f4() {
    on_both_trees(|store| {
        add(&store, &[A, B], attributes(1, 0.5));
        assert_eq!(take(&store, 1), [A]);
        assert_eq!(take(&store, 5), [B]);
        assert!(take(&store, 5).is_empty());
        store.give_back([key(A), key("http://never.test/")].iter());
        assert_eq!(take(&store, 5), [A]);
        assert_eq!(store.queued(0), 2, "what is handed out is still queued");
    });
}

#[test]
fn within_a_class_first_found_is_first_served_over_many_frames_and_chunks() {
    on_both_trees(|store| {
        let hrefs: Vec<String> = (0..500)
            .map(|number| format!("http://a.test/{number}"))
            .collect();
        for frame in hrefs.chunks(130) {
            let frame: Vec<&str> = frame.iter().map(String::as_str).collect();
            add(&store, &frame, attributes(1, 0.5));
        }
        let mut served = Vec::new();
        while let batch = take(&store, 7)
            && !batch.is_empty()
        {
            served.extend(batch);
        }
        assert_eq!(served, hrefs);
    });
}

#[test]
fn the_best_class_comes_first_and_every_eighth_url_from_the_lowest_f1() {
    on_both_trees(|store| {
        let name = |class: &str, number| format!("http://a.test/{class}{number}");
        for (class, priority) in [("low", 0.0), ("high", 1.0), ("middle", 0.5)] {
            let hrefs: Vec<String> = (0..20).map(|number| name(class, number)).collect();
            add(
                &store,
                &hrefs.iter().map(String::as_str).collect::<Vec<_>>(),
                attributes(1, priority),
            );
        }
        let mut served = take(&store, 3);
        served.extend(take(&store, 13));
        let expected: Vec<String> = (0..7)
            .map(|number| name("high", number))
            .chain([name("low", 0)])
            .chain((7..14).map(|number| name("high", number)))
            .chain([name("low", 1)])
            .collect();
        assert_eq!(served, expected);
    });
}

#[test]
fn an_origin_is_reported_when_it_has_something_to_hand_out_again() {
    on_both_trees(|store| {
        let woken = add(&store, &[A], attributes(1, 0.5));
        assert_eq!(
            woken,
            [Awakened {
                origin: 0,
                best_class: 7
            }]
        );
        assert_eq!(store.origins(None), woken);
        assert!(
            add(&store, &[B], attributes(1, 0.5)).is_empty(),
            "it had something already"
        );
        take(&store, 2);
        assert!(store.origins(None).is_empty());
        let woken = add(
            &store,
            &["http://a.test/3", "http://b.test/"],
            attributes(1, 1.0),
        );
        let names: Vec<_> = woken
            .iter()
            .map(|origin| (store.origin(origin.origin).unwrap(), origin.best_class))
            .collect();
        assert_eq!(
            names,
            [
                ("http://a.test".to_owned(), 0),
                ("http://b.test".to_owned(), 0)
            ]
        );
    });
}

#[test]
fn a_frame_is_applied_once() {
    on_both_trees(|store| {
        let admitted = admit(&store, &[A], attributes(1, 0.5), None);
        store.apply(7, &[&admitted.data], &[]).unwrap();
        assert_eq!(store.applied(), 7);
        assert!(
            store
                .apply(7, &[&admitted.data], &[(key(A), None)])
                .unwrap()
                .is_empty()
        );
        assert!(store.apply(3, &[b"rubbish"], &[]).unwrap().is_empty());
        assert_eq!(state(&store, A), Some(State::Queued));
        assert!(store.apply(1 << 60, &[], &[]).is_err());
    });
}

#[test]
fn a_log_that_repeats_itself_queues_a_url_once() {
    on_both_trees(|store| {
        let first = admit(&store, &[A, B], attributes(1, 0.5), None);
        apply(&store, &[&first.data, &first.data], &[]);
        apply(&store, &[&first.data], &[]);
        assert_eq!(take(&store, 9), [A, B]);
        apply(&store, &[&first.data], &[A, B]);
        apply(&store, &[&first.data], &[]);
        assert!(take(&store, 9).is_empty());
        let counts = store.counts();
        assert_eq!((counts.seen, counts.queued, counts.finished), (2, 0, 2));
    });
}

#[test]
fn what_ends_in_the_frame_that_found_it_or_was_never_found_is_known_and_not_queued() {
    on_both_trees(|store| {
        let admitted = admit(&store, &[A], attributes(1, 0.5), None);
        assert!(apply(&store, &[&admitted.data], &[A, B]).is_empty());
        assert_eq!(
            (state(&store, A), state(&store, B)),
            (Some(State::Finished), Some(State::Finished))
        );
        assert_eq!(admit(&store, &[A, B], attributes(1, 0.5), None).known, 2);
        assert!(take(&store, 9).is_empty());
    });
}

#[test]
fn a_url_that_ends_without_having_been_handed_out_is_never_served() {
    on_both_trees(|store| {
        add(&store, &[A, B], attributes(1, 0.5));
        apply(&store, &[], &[A]);
        assert_eq!(take(&store, 9), [B]);
        apply(&store, &[], &[B]);
        assert_eq!(store.queued(0), 0);
        assert!(add(&store, &["http://a.test/3"], attributes(1, 0.5)).len() == 1);
    });
}

#[test]
fn what_is_too_deep_is_parked_and_served_when_the_limit_rises() {
    on_both_trees(|store| {
        let admitted = admit(&store, &[A], attributes(5, 1.0), Some(3));
        assert!(apply(&store, &[&admitted.data], &[]).is_empty());
        assert_eq!(state(&store, A), Some(State::Parked));
        assert_eq!(
            (
                store.counts().parked,
                store.counts().queued,
                store.queued(0)
            ),
            (1, 0, 0)
        );
        assert!(store.take(0, 1, Some(4)).unwrap().is_empty() && store.origins(Some(4)).is_empty());
        assert_eq!(store.origins(Some(5)).len(), 1);
        assert_eq!(store.origins(None).len(), 1);
        assert_eq!(store.take(0, 1, Some(5)).unwrap().len(), 1);
        apply(&store, &[], &[A]);
        assert_eq!(
            (store.counts().parked, state(&store, A)),
            (0, Some(State::Finished))
        );
    });
}

#[test]
fn a_parked_url_found_closer_moves_and_is_served_once() {
    on_both_trees(|store| {
        let deep = admit(&store, &[A, B], attributes(5, 1.0), Some(3));
        apply(&store, &[&deep.data], &[]);
        assert_eq!(
            admit(&store, &[A], attributes(5, 1.0), Some(3)).known,
            1,
            "no closer"
        );
        let closer = admit(&store, &[A], attributes(2, 1.0), Some(3));
        assert_eq!((closer.count, closer.closer_count), (0, 1));
        assert_eq!(
            admit(&store, &[A], attributes(2, 1.0), Some(3)).known,
            1,
            "it is on its way"
        );
        assert_eq!(apply(&store, &[&closer.closer], &[]).len(), 1);
        assert_eq!(state(&store, A), Some(State::Queued));
        assert_eq!(
            (
                store.counts().queued,
                store.counts().parked,
                store.counts().seen
            ),
            (1, 1, 2)
        );
        assert_eq!(admit(&store, &[A], attributes(2, 1.0), Some(3)).known, 1);
        assert_eq!(take(&store, 9), [A, B]);
    });
}

#[test]
fn found_deep_and_close_within_one_frame_it_is_queued_close() {
    on_both_trees(|store| {
        let deep = admit(&store, &[A], attributes(5, 1.0), Some(3));
        let close = admit(&store, &[A], attributes(2, 1.0), Some(3));
        assert_eq!((deep.count, close.closer_count), (1, 1));
        apply(&store, &[&deep.data, &close.closer], &[]);
        assert_eq!(state(&store, A), Some(State::Queued));
        assert_eq!(store.take(0, 9, Some(3)).unwrap()[0].attributes.depth, 2);
        assert_eq!(
            (
                store.counts().queued,
                store.counts().parked,
                store.counts().seen
            ),
            (1, 0, 1)
        );
    });
}

#[test]
fn a_parked_url_that_is_being_fetched_does_not_move() {
    on_both_trees(|store| {
        let deep = admit(&store, &[A], attributes(5, 1.0), Some(3));
        apply(&store, &[&deep.data], &[]);
        assert_eq!(take(&store, 1), [A]);
        let closer = admit(&store, &[A], attributes(2, 1.0), Some(3));
        apply(&store, &[&closer.closer], &[]);
        assert!(take(&store, 1).is_empty());
        apply(&store, &[], &[A]);
        assert_eq!(state(&store, A), Some(State::Finished));
        let counts = store.counts();
        assert_eq!(
            (counts.seen, counts.queued, counts.parked, counts.finished),
            (1, 0, 0, 1)
        );
    });
}

#[test]
fn a_frame_that_will_never_be_written_is_forgotten() {
    on_both_trees(|store| {
        let admitted = admit(&store, &[A], attributes(1, 0.5), None);
        store
            .forget_pending([admitted.data.as_slice()].into_iter())
            .unwrap();
        assert_eq!(state(&store, A), None);
        assert_eq!(admit(&store, &[A], attributes(1, 0.5), None).count, 1);
    });
}

#[test]
fn the_policy_refuses_for_good_or_only_looks_away() {
    on_both_trees(|store| {
        let policy: Policy<'_> = &|url| match url.path {
            "/zip" => Some("extension"),
            "/far" => Some("scope"),
            _ => None,
        };
        let hrefs = ["http://a.test/zip", "http://a.test/far", A];
        let admit = || {
            let rows = hrefs.iter().map(|href| (*href, key(href), Kind::Page));
            store
                .admit(rows, attributes(1, 0.5), None, Some(policy))
                .unwrap()
        };
        let first = admit();
        assert_eq!((first.count, first.outside, first.known), (1, 1, 0));
        let refused = Refused {
            href: hrefs[0].into(),
            key: key(hrefs[0]),
            reason: "extension",
        };
        assert_eq!(first.refused, [refused]);
        assert_eq!(state(&store, hrefs[0]), Some(State::Pending));
        let second = admit();
        assert_eq!(
            (
                second.count,
                second.outside,
                second.known,
                second.refused.len()
            ),
            (0, 1, 2, 0)
        );
    });
}

#[test]
fn what_no_queue_can_hold_is_refused_or_an_error_and_leaves_nothing_behind() {
    on_both_trees(|store| {
        let long = format!("http://a.test/{}", "x".repeat(70_000));
        let host = format!("http://{}.test/", "x".repeat(2_000));
        let admitted = admit(&store, &[&long, &host], attributes(1, 0.5), None);
        assert_eq!(
            admitted
                .refused
                .iter()
                .map(|refused| refused.reason)
                .collect::<Vec<_>>(),
            ["too_long"; 2]
        );
        let rows = [A, "mailto:someone"].map(|href| (href, key(href), Kind::Page));
        assert!(
            store
                .admit(rows.into_iter(), attributes(1, 0.5), None, None)
                .is_err()
        );
        assert_eq!(state(&store, A), None);
    });
}

fn link(href: &str, rel: u8, kind: LinkKind) -> Link {
    Link {
        href: href.into(),
        key: key(href),
        kind,
        rel,
        anchor: String::new(),
    }
}

#[test]
fn links_that_forbid_it_are_not_followed_unless_told_to_d4() {
    on_both_trees(|store| {
        let mut page = Page {
            links: vec![
                link(A, 0, LinkKind::Anchor),
                link(B, rel::UGC, LinkKind::Anchor),
                link("http://a.test/sitemap.xml", 0, LinkKind::Sitemap),
            ],
            ..Page::default()
        };
        let admit = |page: &Page, follow| {
            store
                .admit_links(
                    page,
                    0..usize::MAX,
                    attributes(1, 0.5),
                    None,
                    None,
                    None,
                    None,
                    None,
                    follow,
                    false,
                )
                .unwrap()
        };
        page.directives = directive::NOFOLLOW;
        assert_eq!(admit(&page, false).count, 0);
        page.directives = directive::NOINDEX;
        let admitted = admit(&page, false);
        assert_eq!((admitted.count, admitted.known), (2, 0));
        let kinds: Vec<_> = decode(&admitted.data)
            .unwrap()
            .iter()
            .map(|group| group.attributes.kind)
            .collect();
        assert_eq!(kinds, [Kind::Page, Kind::Sitemap]);
        assert_eq!(admit(&page, true).count, 1);
    });
}

#[test]
fn a_body_belongs_to_the_first_url_that_had_it_and_no_page_is_a_copy_of_itself_x1() {
    on_both_trees(|store| {
        let (hash, other) = ([1; 16], [2; 16]);
        let same = |key_of: &str| store.same_content(&hash, &key(key_of)).unwrap();
        assert_eq!(same(B), None);
        store.remember_content(hash, key(A));
        store.remember_content(hash, key(B));
        assert_eq!((same(A), same(B)), (None, Some(key(A))));
        store
            .apply(1, &[], &[(key(A), Some(hash)), (key(B), Some(hash))])
            .unwrap();
        store
            .apply(
                2,
                &[],
                &[(key("http://c.test/"), Some(hash)), (key(B), Some(other))],
            )
            .unwrap();
        assert_eq!((same(A), same(B)), (None, Some(key(A))));
        assert_eq!(store.same_content(&other, &key(A)).unwrap(), Some(key(B)));
    });
}

#[test]
fn a_body_whose_answer_is_lost_belongs_to_the_next_url_x1() {
    on_both_trees(|store| {
        let hash = [1; 16];
        let same = |key_of: &str| store.same_content(&hash, &key(key_of)).unwrap();
        store.remember_content(hash, key(A));
        store.forget_content(&hash, &key(B));
        assert_eq!(same(B), Some(key(A)));
        store.forget_content(&hash, &key(A));
        assert_eq!(same(B), None);
        store.remember_content(hash, key(B));
        assert_eq!(same(A), Some(key(B)));
    });
}

#[test]
fn an_unreadable_blob_changes_nothing() {
    on_both_trees(|store| {
        assert!(matches!(
            store.apply(1, &[&[1, 2, 3]], &[]),
            Err(Error::Corrupt(_))
        ));
        assert_eq!(store.applied(), 0);
    });
}

/// A tree whose writes can be made to fail.
#[derive(Default)]
struct Broken {
    rows: memory_tree::MemoryTree,
    broken: std::sync::atomic::AtomicBool,
}

impl Tree for Broken {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.rows.get(key)
    }
    fn get_saved(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.rows.get_saved(key)
    }
    fn scan(&self, from: &[u8], to: &[u8], visit: &mut tree::Visit<'_>) -> Result<()> {
        self.rows.scan(from, to, visit)
    }

    fn visit_keys(&self, from: &[u8], to: &[u8], visit: &mut tree::VisitKey<'_>) -> Result<()> {
        self.rows.visit_keys(from, to, visit)
    }
    fn visit_chunks(&self, from: rows::ChunkId, visit: &mut tree::VisitChunk<'_>) -> Result<()> {
        self.rows.visit_chunks(from, visit)
    }
    fn write(&self, batch: &tree::Batch) -> Result<()> {
        if self.broken.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(Error::io("tree", std::io::Error::from_raw_os_error(28)));
        }
        self.rows.write(batch)
    }
    fn sync(&self) -> Result<()> {
        Ok(())
    }
    fn bytes_on_disk(&self) -> u64 {
        0
    }
}

#[test]
fn a_frame_that_finds_the_disk_full_can_be_applied_again() {
    let tree = Arc::new(Broken::default());
    let store = UrlStore::with_tree(tree.clone(), None, SMALL).unwrap();
    add(&store, &[A], attributes(1, 0.5));
    let admitted = admit(&store, &[B, "http://b.test/"], attributes(1, 0.5), None);
    tree.broken
        .store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(
        store
            .apply(2, &[&admitted.data], &[(key(A), None)])
            .is_err()
    );
    assert_eq!(
        (state(&store, A), state(&store, B)),
        (Some(State::Queued), Some(State::Pending))
    );
    assert_eq!(take(&store, 9), [A]);
    tree.broken
        .store(false, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(
        store
            .apply(2, &[&admitted.data], &[(key(A), None)])
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        (state(&store, A), state(&store, B)),
        (Some(State::Finished), Some(State::Queued))
    );
    let names: Vec<_> = store
        .origins(None)
        .into_iter()
        .filter_map(|origin| store.origin(origin.origin))
        .collect();
    assert_eq!(names, ["http://a.test", "http://b.test"]);
}

#[test]
fn a_store_of_a_newer_format_is_refused() {
    let tree = Arc::new(MemoryTree::default());
    let mut batch = tree::Batch::default();
    let mut meta = Meta::default().encode();
    meta[..4].copy_from_slice(&(rows::FORMAT + 1).to_le_bytes());
    batch.insert(&rows::META_KEY, &meta);
    tree.write(&batch).unwrap();
    let error = UrlStore::with_tree(tree, None, SMALL).err().unwrap();
    assert!(matches!(&error, Error::Invalid(message) if message.contains("newer Hondius")));
}

#[test]
fn r4_a_url_that_is_asked_for_by_name_is_handed_out_once_and_its_neighbours_stay() {
    on_both_trees(|store| {
        let hrefs: Vec<String> = (0..200)
            .map(|number| format!("http://a.test/{number}"))
            .collect();
        let names: Vec<&str> = hrefs.iter().map(String::as_str).collect();
        add(&store, &names, attributes(1, 0.5));
        let wanted = key(&hrefs[150]);
        assert_eq!(take(&store, 2), hrefs[..2]);
        let url = store.take_url(&wanted).unwrap().unwrap();
        assert_eq!((url.href.as_str(), url.key), (names[150], wanted));
        assert_eq!(store.take_url(&wanted).unwrap(), None, "it is handed out");
        assert_eq!(store.take_url(&key(&hrefs[0])).unwrap(), None);
        assert_eq!(store.take_url(&key("http://a.test/new")).unwrap(), None);
        store.give_back([&wanted].into_iter());
        assert!(store.take_url(&wanted).unwrap().is_some());
        apply(&store, &[], &[names[150]]);
        assert_eq!(store.take_url(&wanted).unwrap(), None, "it has ended");
        let rest: Vec<&str> = (2..200)
            .filter(|number| *number != 150)
            .map(|number| names[number])
            .collect();
        assert_eq!(take(&store, 300), rest);
    });
}
