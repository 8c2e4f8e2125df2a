use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use super::run_set::MERGED_RUNS;
use super::*;
use crate::url_store::rows;

const MEMORY: u64 = 4 * 1024 * 1024;

fn open(directory: &Path) -> RunTree {
    RunTree::open(directory, MEMORY).unwrap()
}

fn put(tree: &RunTree, rows: &[(&[u8], Option<&[u8]>)]) {
    let mut batch = Batch::default();
    for (key, value) in rows {
        match value {
            Some(value) => batch.insert(key, value),
            None => batch.remove(key),
        }
    }
    tree.write(&batch).unwrap();
}

fn all(tree: &RunTree, from: &[u8], to: &[u8]) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut rows = BTreeMap::new();
    tree.scan(from, to, &mut |key, value| {
        rows.insert(key.to_vec(), value.to_vec());
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    rows
}

fn runs(tree: &RunTree) -> Vec<u8> {
    let tables = tree.run_set.tables();
    tables.runs.iter().map(|run| run.listed.level).collect()
}

fn settle(tree: &RunTree, is_settled: impl Fn(&[u8]) -> bool) {
    for _ in 0..10_000 {
        if is_settled(&runs(tree)) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("never: {:?}", runs(tree));
}

fn key(number: u32) -> [u8; 17] {
    rows::seen_key(&xxhash_rust::xxh3::xxh3_128(&number.to_le_bytes()).to_be_bytes())
}

#[test]
fn what_was_synced_outlives_the_process_and_what_was_not_is_lost_as_a_whole() {
    let directory = tempfile::tempdir().unwrap();
    let tree = open(directory.path());
    put(&tree, &[(b"a", Some(b"1")), (b"b", Some(b"1"))]);
    tree.sync().unwrap();
    put(&tree, &[(b"a", Some(b"2")), (b"b", None)]);
    assert_eq!(tree.get(b"a").unwrap().as_deref(), Some(&b"2"[..]));
    assert_eq!(tree.get(b"b").unwrap(), None);
    drop(tree);
    let tree = open(directory.path());
    assert_eq!(tree.get(b"a").unwrap().as_deref(), Some(&b"1"[..]));
    assert_eq!(tree.get(b"b").unwrap().as_deref(), Some(&b"1"[..]));
}

#[test]
fn runs_of_a_level_become_one_and_the_youngest_rows_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let tree = open(directory.path());
    let mut model = BTreeMap::new();
    for round in 0..MERGED_RUNS as u32 {
        let (value, gone) = (round.to_le_bytes(), key(round * 50));
        let mut batch = Batch::default();
        for number in round * 100..round * 100 + 300 {
            batch.insert(&key(number), &value);
            model.insert(key(number).to_vec(), value.to_vec());
        }
        tree.write(&batch).unwrap();
        put(&tree, &[(&gone, None)]);
        model.remove(&gone[..]);
        tree.sync().unwrap();
    }
    settle(&tree, |levels| levels == [1]);
    let (from, to) = rows::seen_range();
    assert_eq!(all(&tree, &from, &to), model);
    let rows = tree.run_set.tables().runs[0].run.rows();
    assert_eq!(
        rows as usize,
        model.len(),
        "removals are gone with the oldest run"
    );
    // The files of merged runs are removed by the thread that merged them, after the list of runs is written.
    let count_files = || std::fs::read_dir(directory.path()).unwrap().count();
    settle(&tree, |_| count_files() == 3);
    assert_eq!(count_files(), 3, "the run, the list, the lock");
    drop(tree);
    let tree = open(directory.path());
    for (key, value) in &model {
        assert_eq!(tree.get(key).unwrap().as_ref(), Some(value));
    }
    assert_eq!(tree.get(&key(1_000_000)).unwrap(), None);
}

#[test]
fn removals_outlive_a_merge_above_older_runs() {
    let directory = tempfile::tempdir().unwrap();
    let tree = open(directory.path());
    put(&tree, &[(b"old", Some(b"1"))]);
    for _ in 0..MERGED_RUNS {
        put(&tree, &[(b"other", Some(b"1"))]);
        tree.sync().unwrap();
    }
    settle(&tree, |levels| levels == [1]);
    put(&tree, &[(b"old", None)]);
    for _ in 0..MERGED_RUNS {
        put(&tree, &[(b"other", Some(b"2"))]);
        tree.sync().unwrap();
    }
    settle(&tree, |levels| levels == [1, 1]);
    assert_eq!(tree.get(b"old").unwrap(), None);
}

#[test]
fn a_memtable_that_is_full_becomes_a_run_while_the_next_is_filled() {
    let directory = tempfile::tempdir().unwrap();
    let tree = open(directory.path());
    let value = [7; 1000];
    for number in 0..5_000 {
        put(&tree, &[(&key(number), Some(&value))]);
    }
    settle(&tree, |levels| levels.len() >= 4);
    for number in 0..5_000 {
        assert_eq!(tree.get(&key(number)).unwrap().as_deref(), Some(&value[..]));
    }
    assert!(tree.bytes_on_disk() > 4_000_000);
}

#[test]
fn chunks_are_visited_in_order_over_runs_and_memory() {
    let directory = tempfile::tempdir().unwrap();
    let tree = open(directory.path());
    let chunk = |origin, number| rows::ChunkId {
        origin,
        class: 3,
        number,
    };
    let urls = |origin, number| chunk(origin, number).key(rows::Part::Urls);
    for number in 0..9 {
        let bits = chunk(1, number / 2).key(rows::Part::Finished);
        put(
            &tree,
            &[
                (&urls(1, number), Some(&[number as u8])),
                (&urls(2, number), Some(b"x")),
                (&bits, Some(b"bits")),
            ],
        );
        if number % 3 == 0 {
            tree.sync().unwrap();
        }
    }
    put(&tree, &[(&urls(1, 3), None), (&urls(1, 8), None)]);
    let visited = |from| {
        let mut numbers = Vec::new();
        tree.visit_chunks(chunk(1, from), &mut |chunk, value| {
            assert_eq!(value, [chunk.number as u8]);
            numbers.push(chunk.number);
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
        numbers
    };
    assert_eq!(visited(2), [2, 4, 5, 6, 7]);
    tree.sync().unwrap();
    assert_eq!(visited(0), [0, 1, 2, 4, 5, 6, 7]);
    assert!(visited(8).is_empty());
    let mut first = None;
    tree.visit_chunks(chunk(1, 1), &mut |chunk, _| {
        first = Some(chunk.number);
        Ok(ControlFlow::Break(()))
    })
    .unwrap();
    assert_eq!(first, Some(1));
}

#[test]
fn every_key_of_a_range_is_visited_wherever_it_lies() {
    let directory = tempfile::tempdir().unwrap();
    let tree = open(directory.path());
    put(&tree, &[(b"a", Some(b"1")), (b"b", Some(b"1"))]);
    tree.sync().unwrap();
    put(&tree, &[(b"c", Some(b"1")), (b"b", Some(b"2"))]);
    tree.sync().unwrap();
    put(&tree, &[(b"d", Some(b"1")), (b"z", Some(b"1"))]);
    let mut keys = Vec::new();
    tree.visit_keys(b"b", b"z", &mut |key| {
        keys.push(key.to_vec());
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    keys.sort();
    keys.dedup();
    assert_eq!(keys, [b"b", b"c", b"d"]);
    let mut visits = 0;
    tree.visit_keys(b"a", b"z", &mut |_| {
        visits += 1;
        Ok(ControlFlow::Break(()))
    })
    .unwrap();
    assert_eq!(visits, 1);
}

#[test]
fn a_file_that_no_list_names_is_removed_and_one_that_is_missing_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let tree = open(directory.path());
    put(&tree, &[(b"a", Some(b"1"))]);
    tree.sync().unwrap();
    drop(tree);
    let stray = directory.path().join("00000099.run");
    std::fs::write(&stray, b"half a run").unwrap();
    drop(open(directory.path()));
    assert!(!stray.exists());
    std::fs::remove_file(directory.path().join("00000000.run")).unwrap();
    let error = RunTree::open(directory.path(), MEMORY).err().unwrap();
    assert!(matches!(error, Error::Corrupt(_)), "{error}");
}

#[test]
fn a_flipped_bit_of_a_run_is_noticed_when_it_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let tree = open(directory.path());
    put(&tree, &[(b"a", Some(b"1"))]);
    tree.sync().unwrap();
    drop(tree);
    let path = directory.path().join("00000000.run");
    let whole = std::fs::read(&path).unwrap();
    for position in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[position] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let read = RunTree::open(directory.path(), MEMORY).and_then(|tree| tree.get(b"a"));
        assert!(
            matches!(read, Err(Error::Corrupt(_))),
            "byte {position}: {read:?}"
        );
    }
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(RunTree::open(directory.path(), MEMORY).is_err());
}

#[test]
fn a_disk_that_does_not_take_a_run_fails_the_writes_and_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let tree = open(directory.path());
    put(&tree, &[(b"a", Some(b"1"))]);
    // Where the run would be written stands a directory.
    let obstacle = directory.path().join("00000000.run");
    std::fs::create_dir(&obstacle).unwrap();
    assert!(matches!(tree.sync(), Err(Error::Io { .. })));
    put(&tree, &[(b"b", Some(b"1"))]);
    assert_eq!(tree.get(b"a").unwrap().as_deref(), Some(&b"1"[..]));
    std::fs::remove_dir(&obstacle).unwrap();
    while tree.sync().is_err() {}
    drop(tree);
    let tree = open(directory.path());
    assert!(tree.get(b"a").unwrap().is_some() && tree.get(b"b").unwrap().is_some());
}

#[test]
fn damage_that_a_merge_finds_is_told_by_the_next_write() {
    let directory = tempfile::tempdir().unwrap();
    let tree = open(directory.path());
    put(&tree, &[(b"a", Some(b"1"))]);
    tree.sync().unwrap();
    let path = directory.path().join("00000000.run");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[7] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    for _ in 1..MERGED_RUNS {
        put(&tree, &[(b"b", Some(b"1"))]);
        tree.sync().unwrap();
    }
    let mut batch = Batch::default();
    batch.insert(b"c", b"1");
    for _ in 0..10_000 {
        if let Err(error) = tree.write(&batch) {
            assert!(matches!(error, Error::Corrupt(_)), "{error}");
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("it went unseen");
}

#[test]
fn damage_that_the_builder_of_a_filter_finds_is_told_by_the_next_write() {
    let directory = tempfile::tempdir().unwrap();
    let tree = open(directory.path());
    put(&tree, &[(&key(1), Some(b"1"))]);
    tree.sync().unwrap();
    let path = directory.path().join("00000000.run");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[7] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let (from, to) = rows::seen_range();
    let visited = tree.visit_keys(&from, &to, &mut |_| Ok(ControlFlow::Continue(())));
    assert!(matches!(visited, Err(Error::Corrupt(_))));
    let mut batch = Batch::default();
    batch.insert(b"c", b"1");
    assert!(matches!(tree.write(&batch), Err(Error::Corrupt(_))));
}

#[test]
fn a_panic_on_the_thread_that_writes_is_told_at_once_and_nobody_waits_for_ever() {
    let directory = tempfile::tempdir().unwrap();
    let tree = open(directory.path());
    put(&tree, &[(b"a", Some(b"1"))]);
    tree.run_set.panics.store(true, Ordering::Relaxed);
    let told = tree.sync().unwrap_err();
    assert!(told.to_string().contains("panicked: planted"), "{told}");
    let mut batch = Batch::default();
    batch.insert(b"b", b"2");
    assert!(matches!(tree.write(&batch), Err(Error::Corrupt(_))));
    assert_eq!(tree.get(b"a").unwrap().as_deref(), Some(&b"1"[..]));
}
