//! Queued URLs that move by their rank.

use std::sync::Arc;

use super::*;
use crate::rank::{self, EdgeLog, Factors, Weights, mark_computed};
use crate::url_store::Synced;

const WEIGHTS: Weights = Weights {
    page_rank: 0.30,
    host_authority: 0.25,
    depth: 0.15,
    rest: 0.20,
    sitemap_bonus: 0.15,
    news_bonus: 0.20,
};
const URLS: usize = 200;

fn href(number: usize) -> String {
    format!("http://a.test/{number}")
}

/// Many pages link to the even ones, and one page to the odd ones.
fn factors() -> Factors {
    let directory = tempfile::tempdir().unwrap();
    let mut log = EdgeLog::new(directory.path(), false);
    for number in 0..URLS {
        let sources = if number % 2 == 0 { 3 + number } else { 1 };
        for source in 0..sources {
            let source = key(&format!("http://b.test/{source}"));
            log.add_edges(&[(source, key(&href(number)))]).unwrap();
        }
    }
    let options = rank::Options::default();
    let records = log.read().unwrap();
    let ranks = rank::compute(
        records,
        directory.path(),
        None,
        b"",
        &options,
        &mut |_, _| Ok(()),
    );
    Factors::new(Arc::new(ranks.unwrap()), WEIGHTS)
}

/// Moves what is due, in steps of `most` slots. Returns the numbers of the steps.
fn rerank(store: &UrlStore, factors: &Factors, most: usize) -> Vec<u64> {
    let (mut counts, mut cursor) = (Vec::new(), Some((0, 0, 0)));
    while let Some(from) = cursor {
        let found = store.rerank(factors, from, most).unwrap();
        let order = reprioritise::decode(&found.data).unwrap();
        assert_eq!(order.len() as u64, found.count);
        let synced = Synced {
            reprioritised: &order,
            ..Synced::default()
        };
        store.apply_synced(store.applied() + 1, synced).unwrap();
        counts.push(found.count);
        cursor = found.next;
    }
    counts
}

fn add_computed(store: &UrlStore, attributes: Attributes) {
    let hrefs: Vec<String> = (0..URLS).map(href).collect();
    let hrefs: Vec<&str> = hrefs.iter().map(String::as_str).collect();
    add(store, &hrefs, attributes);
}

#[test]
fn f2_what_many_pages_link_to_is_handed_out_first() {
    let factors = factors();
    on_both_trees(|store| {
        let usual = mark_computed(0.5, false);
        add_computed(&store, attributes(1, usual));
        let steps = rerank(&store, &factors, 64);
        assert!(steps.len() > 3, "{steps:?}");
        assert!(steps.iter().all(|moved| *moved <= 128), "{steps:?}");
        let first = store.take(0, 50, None).unwrap();
        let even = first
            .iter()
            .filter(|url| !url.href.ends_with(['1', '3', '5', '7', '9']));
        assert!(even.count() > 40);
        assert_eq!(store.counts().queued, URLS as u64);
        assert_eq!(
            rerank(&store, &factors, 1_000_000).iter().sum::<u64>(),
            0,
            "it is stable"
        );
    });
}

#[test]
fn f2_a_priority_that_was_given_never_changes() {
    let factors = factors();
    let usual = attributes(1, mark_computed(0.5, false));
    let others = [
        attributes(1, 0.5),
        Attributes {
            is_seed: true,
            ..usual
        },
        Attributes {
            via: Via::Recrawl,
            ..usual
        },
        Attributes {
            kind: Kind::Sitemap,
            ..usual
        },
    ];
    for attributes in others {
        on_both_trees(|store| {
            let urls = (0..URLS).map(href).collect::<Vec<_>>();
            let rows = urls
                .iter()
                .map(|href| (href.as_str(), key(href), attributes.kind));
            let admitted = store.admit(rows, attributes, None, None).unwrap();
            apply(&store, &[&admitted.data], &[]);
            assert_eq!(rerank(&store, &factors, 1_000_000).iter().sum::<u64>(), 0);
        });
    }
}

#[test]
fn f2_urls_that_have_ended_or_are_handed_out_are_no_obstacle() {
    let factors = factors();
    on_both_trees(|store| {
        add_computed(&store, attributes(1, mark_computed(0.5, false)));
        let ended = [href(0), href(2)];
        let taken = store.take(0, 5, None).unwrap();
        apply(&store, &[], &[&ended[0], &ended[1]]);
        assert!(rerank(&store, &factors, 16).iter().sum::<u64>() > 50);
        assert_eq!(store.counts().queued, URLS as u64 - 2);
        store.give_back(taken.iter().map(|url| &url.key));
        assert_eq!(store.take(0, URLS, None).unwrap().len(), URLS - 2);
    });
}
