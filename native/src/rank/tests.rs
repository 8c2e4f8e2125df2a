use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::page::{Link, LinkKind, Page, directive, rel};
use crate::url::{Identity, Key, Switches};

fn key(number: u32) -> Key {
    key_of_host(&number.to_string())
}

fn no_progress(_: &'static str, _: f64) -> Result<()> {
    Ok(())
}

fn compute_from(log: &mut EdgeLog, options: &Options) -> Ranks {
    let directory = tempfile::tempdir().unwrap();
    let records = log.read().unwrap();
    compute(
        records,
        directory.path(),
        None,
        b"",
        options,
        &mut no_progress,
    )
    .unwrap()
}

fn rank_edges(edges: &[(u32, u32)], options: &Options) -> BTreeMap<u32, f64> {
    let directory = tempfile::tempdir().unwrap();
    let mut log = EdgeLog::new(directory.path(), false);
    for (source, target) in edges {
        log.add_edges(&[(key(*source), key(*target))]).unwrap();
    }
    let ranks = compute_from(&mut log, options);
    let nodes: BTreeSet<u32> = edges
        .iter()
        .flat_map(|(source, target)| [*source, *target])
        .collect();
    let rank = |node: &u32| (*node, ranks.page(&key(*node)).unwrap().unwrap().rank);
    nodes.iter().map(rank).collect()
}

/// The same by the definition, in one dense loop.
fn rank_naively(edges: &[(u32, u32)]) -> BTreeMap<u32, f64> {
    let nodes: BTreeSet<u32> = edges
        .iter()
        .flat_map(|(source, target)| [*source, *target])
        .collect();
    let edges: BTreeSet<(u32, u32)> = edges
        .iter()
        .copied()
        .filter(|(source, target)| source != target)
        .collect();
    let count = nodes.len() as f64;
    let degree = |node: u32| edges.iter().filter(|(source, _)| *source == node).count() as f64;
    let degrees: BTreeMap<u32, f64> = nodes.iter().map(|node| (*node, degree(*node))).collect();
    let mut ranks: BTreeMap<u32, f64> = nodes.iter().map(|node| (*node, 1.0 / count)).collect();
    for _ in 0..300 {
        let dangling: f64 = nodes
            .iter()
            .filter(|node| degrees[node] == 0.0)
            .map(|node| ranks[node])
            .sum();
        let mut next: BTreeMap<u32, f64> = nodes
            .iter()
            .map(|node| (*node, (1.0 - DAMPING + DAMPING * dangling) / count))
            .collect();
        for (source, target) in &edges {
            *next.get_mut(target).unwrap() += DAMPING * ranks[source] / degrees[source];
        }
        ranks = next;
    }
    ranks
}

fn assert_close(found: &BTreeMap<u32, f64>, wanted: &BTreeMap<u32, f64>) {
    assert_eq!(found.len(), wanted.len());
    for (node, rank) in wanted {
        assert!(
            (found[node] - rank).abs() < 1e-9,
            "{node}: {} and not {rank}",
            found[node]
        );
    }
}

const EXACT: f64 = 1e-12;

fn options(memory: usize) -> Options {
    Options {
        memory,
        tolerance: EXACT,
        most_iterations: 1_000,
        ..Options::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn s8_ranks_are_those_of_the_definition_whatever_the_memory(
        edges in prop::collection::vec((0u32..40, 0u32..40), 0..200),
        memory in prop_oneof![Just(16usize), Just(160), Just(1 << 20)],
    ) {
        assert_close(&rank_edges(&edges, &options(memory)), &rank_naively(&edges));
    }

    #[test]
    fn s8_the_order_of_edges_changes_no_bit(edges in prop::collection::vec((0u32..40, 0u32..40), 1..200)) {
        let mut reversed = edges.clone();
        reversed.reverse();
        let (one, other) = (rank_edges(&edges, &options(64)), rank_edges(&reversed, &options(64)));
        prop_assert_eq!(one, other);
    }

    #[test]
    fn s8_damage_is_an_error_or_another_rank_and_never_a_panic(at: prop::sample::Index, bit in 0u8..8, length: prop::sample::Index) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ranks");
        write_small(directory.path(), &path);
        let whole = std::fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        let at = at.index(whole.len());
        damaged[at] ^= 1 << bit;
        std::fs::write(&path, &damaged).unwrap();
        if let Ok(ranks) = Ranks::open(&path) {
            let _ = (ranks.page(&key(1)), ranks.host("a.test"), ranks.top_pages(99), ranks.top_hosts(99));
        }
        std::fs::write(&path, &whole[..length.index(whole.len())]).unwrap();
        prop_assert!(Ranks::open(&path).is_err());
    }
}

fn link(href: &str, kind: LinkKind, rel: u8) -> Link {
    let identity = Identity::new(Switches::default());
    let url = identity.parse(href, None).unwrap();
    Link {
        key: identity.key_of(&url),
        href: url.into(),
        kind,
        rel,
        anchor: String::new(),
    }
}

fn key_of_url(href: &str) -> Key {
    link(href, LinkKind::Anchor, 0).key
}

fn add(log: &mut EdgeLog, href: &str, links: &[&str]) {
    let links: Vec<Link> = links
        .iter()
        .map(|href| link(href, LinkKind::Anchor, 0))
        .collect();
    log.add_page(key_of_url(href), href, 0, &links).unwrap();
}

fn write_small(directory: &Path, path: &Path) {
    let mut log = EdgeLog::new(directory, false);
    add(
        &mut log,
        "http://a.test/",
        &["http://b.test/", "http://a.test/1"],
    );
    add(&mut log, "http://b.test/", &["http://a.test/"]);
    let records = log.read().unwrap();
    compute(
        records,
        directory,
        Some(path),
        b"note",
        &Options::default(),
        &mut no_progress,
    )
    .unwrap();
}

#[test]
fn s8_pages_and_hosts_have_ranks_and_names() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ranks");
    write_small(directory.path(), &path);
    let ranks = Ranks::open(&path).unwrap();
    assert_eq!(ranks.note(), b"note");
    assert_eq!((ranks.of_pages().nodes, ranks.of_pages().edges), (3, 3));
    assert_eq!((ranks.of_hosts().nodes, ranks.of_hosts().edges), (2, 2));
    let names: Vec<String> = ranks
        .top_hosts(9)
        .unwrap()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names.len(), 2);
    assert!(names.contains(&"a.test".to_owned()) && names.contains(&"b.test".to_owned()));
    let top = ranks.top_pages(1).unwrap();
    assert_eq!(top[0].0, key_of_url("http://a.test/"));
    assert_eq!(
        ranks.page(&key_of_url("http://a.test/")).unwrap(),
        Some(top[0].1)
    );
    assert_eq!(ranks.page(&key(7)).unwrap(), None);
    assert_eq!(ranks.host("c.test").unwrap(), None);
    let files: Vec<_> = std::fs::read_dir(directory.path()).unwrap().collect();
    assert_eq!(files.len(), 1);
}

#[test]
fn s8_links_that_vouch_for_nothing_pass_no_rank_on() {
    let directory = tempfile::tempdir().unwrap();
    let links = [
        link("http://a.test/1", LinkKind::Anchor, 0),
        link("http://a.test/2", LinkKind::Anchor, rel::NOFOLLOW),
        link("http://a.test/3", LinkKind::Media, 0),
        link("http://a.test/", LinkKind::Anchor, 0),
    ];
    for (follow_nofollow, directives, edges) in
        [(false, 0, 1), (true, 0, 2), (false, directive::NOFOLLOW, 0)]
    {
        let mut log = EdgeLog::new(directory.path(), follow_nofollow);
        let root = key_of_url("http://a.test/");
        log.add_page(root, "http://a.test/", directives, &links)
            .unwrap();
        assert_eq!((log.pages(), log.edges()), (1, edges));
    }
}

#[test]
fn s8_a_redirect_passes_its_rank_on() {
    let directory = tempfile::tempdir().unwrap();
    let mut log = EdgeLog::new(directory.path(), false);
    add(&mut log, "http://a.test/", &["http://a.test/old"]);
    let (old, new) = ("http://a.test/old", "http://b.test/new");
    log.add_redirect(key_of_url(old), old, key_of_url(new), new)
        .unwrap();
    let ranks = compute_from(&mut log, &Options::default());
    let rank = |href| ranks.page(&key_of_url(href)).unwrap().unwrap().rank;
    assert!(rank(new) > rank(old));
    assert_eq!(ranks.of_hosts().edges, 1);
}

#[test]
fn s8_a_percentile_is_the_share_of_pages_below() {
    let edges: Vec<(u32, u32)> = (1..100).map(|number| (number, 0)).collect();
    let directory = tempfile::tempdir().unwrap();
    let mut log = EdgeLog::new(directory.path(), false);
    for (source, target) in edges {
        log.add_edges(&[(key(source), key(target))]).unwrap();
    }
    let ranks = compute_from(&mut log, &Options::default());
    let percentile = |number| ranks.page(&key(number)).unwrap().unwrap().percentile;
    assert!((percentile(0) - 0.995).abs() < 1e-4);
    assert!((percentile(1) - 0.495).abs() < 1e-4);
    assert_eq!(percentile(1), percentile(99));
}

#[test]
fn s8_an_error_of_the_progress_ends_it_and_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ranks");
    let mut log = EdgeLog::new(directory.path(), false);
    add(&mut log, "http://a.test/", &["http://b.test/"]);
    let mut stop = |_: &'static str, _: f64| Err(Error::Invalid("stop".into()));
    let records = log.read().unwrap();
    let options = Options::default();
    assert!(
        compute(
            records,
            directory.path(),
            Some(&path),
            b"",
            &options,
            &mut stop
        )
        .is_err()
    );
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn s8_what_a_killed_process_left_is_replaced_and_no_two_processes_write_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let (path, new) = (
        directory.path().join("ranks"),
        directory.path().join("ranks.new"),
    );
    std::fs::write(&new, b"half a file".repeat(10_000)).unwrap();
    write_small(directory.path(), &path);
    assert!(Ranks::open(&path).is_ok() && !new.exists());
    let other = std::fs::File::create(&new).unwrap();
    other.lock().unwrap();
    let mut log = EdgeLog::new(directory.path(), false);
    let options = Options::default();
    let records = log.read().unwrap();
    let path = Some(path.as_path());
    let refused = compute(
        records,
        directory.path(),
        path,
        b"",
        &options,
        &mut no_progress,
    );
    assert!(matches!(refused, Err(Error::Invalid(_))));
}

#[test]
fn s8_what_is_added_meanwhile_is_in_the_next_computation() {
    let directory = tempfile::tempdir().unwrap();
    let mut log = EdgeLog::new(directory.path(), false);
    log.add_edges(&[(key(1), key(2))]).unwrap();
    let records = log.read().unwrap();
    log.add_edges(&[(key(2), key(3))]).unwrap();
    let options = Options::default();
    let first = compute(
        records,
        directory.path(),
        None,
        b"",
        &options,
        &mut no_progress,
    )
    .unwrap();
    assert_eq!(first.of_pages().nodes, 2);
    assert_eq!(compute_from(&mut log, &options).of_pages().nodes, 3);
}

fn weights() -> Weights {
    Weights {
        page_rank: 0.30,
        host_authority: 0.25,
        depth: 0.15,
        rest: 0.20,
        sitemap_bonus: 0.15,
        news_bonus: 0.20,
    }
}

#[test]
fn f2_new_links_get_the_factors_of_their_page_and_host() {
    let directory = tempfile::tempdir().unwrap();
    let mut log = EdgeLog::new(directory.path(), false);
    let (root, other, middle) = ("http://a.test/", "http://b.test/", "http://a.test/middle");
    for number in 0..50 {
        let href = format!("http://a.test/{number}");
        add(
            &mut log,
            &href,
            &[root, other, middle][..if number < 10 { 3 } else { 2 }],
        );
    }
    let ranks = std::sync::Arc::new(compute_from(&mut log, &Options::default()));
    let factors = Factors::new(ranks, weights());
    let page = |href: &str| Page {
        links: vec![link(href, LinkKind::Anchor, 0)],
        ..Page::default()
    };
    let rate = |source: &str, target: &str| {
        factors
            .rate_links(&key_of_url(source), source, &page(target), 2)
            .unwrap()
    };
    let (from_root, none) = rate("http://a.test/", "http://a.test/new");
    let (from_leaf, _) = rate("http://a.test/7", "http://a.test/new");
    assert!(from_root > from_leaf && none.is_none());
    let (usual, steps) = rate("http://a.test/", "http://b.test/new");
    assert_eq!(usual, from_root);
    assert!(
        steps.unwrap()[0] > (usual * 256.0) as u8,
        "b.test has the higher rank"
    );
}

#[test]
fn f2_a_computed_priority_tells_that_it_is_one_and_keeps_its_class() {
    for step in 0..=1_000 {
        let priority = f64::from(step) / 1_000.0;
        for is_news in [false, true] {
            let marked = mark_computed(priority, is_news);
            assert_eq!(
                (marked * 16.0) as u8,
                ((priority * 16.0) as u8).min(15),
                "{priority}"
            );
            assert_eq!((marked * 256.0).fract(), if is_news { 0.25 } else { 0.5 });
            assert_eq!(mark_computed(marked, is_news), marked);
        }
    }
}

#[test]
fn d2_a_shifted_priority_still_tells_that_it_was_computed_and_a_given_one_stays() {
    let near = |one: f64, other: f64| (one - other).abs() < 1.0 / 256.0;
    for is_news in [false, true] {
        let computed = mark_computed(0.5, is_news);
        for (by, expected) in [(0.075, 0.575), (-0.075, 0.425), (9.0, 1.0), (-9.0, 0.0)] {
            let shifted = shift_computed(computed, by);
            assert!(near(shifted, expected), "{shifted}");
            assert_eq!(shifted, mark_computed(shifted, is_news));
        }
    }
    assert_eq!(shift_computed(0.7, 0.075), 0.7);
}
