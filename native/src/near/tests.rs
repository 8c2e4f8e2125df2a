use std::path::Path;

use tempfile::TempDir;

use super::sketch::{BINS, BYTES, Sketch, SketchBuilder};
use super::table::{Table, Writing};
use super::*;

const LEAST: u32 = 44;
const LOG: u64 = 7;

fn key(number: u64) -> Key {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&number.to_be_bytes());
    key
}

/// A text of 300 words of its own, of which the first ones are replaced.
fn sketch(seed: u64, replaced: u64) -> Sketch {
    let mut builder = SketchBuilder::default();
    for word in 0..300u64 {
        let word = if word < replaced { word + 1000 } else { word };
        builder.add((seed << 20 | word).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
    builder.finish().unwrap()
}

fn open(directory: &Path) -> NearIndex {
    NearIndex::open(Place::Directory(directory.to_owned()), LEAST).unwrap()
}

fn fill(index: &NearIndex, from: u64, count: u64) {
    for number in from..from + count {
        index
            .apply(LOG, 0, number + 1, &[(key(number), sketch(number, 0))])
            .unwrap();
    }
}

fn assert_found(index: &NearIndex, number: u64) {
    let found = index.find(&key(1 << 40), &sketch(number, 3)).unwrap();
    assert!(
        matches!(found, Found::Copy { of, equal } if of == key(number) && equal >= LEAST),
        "{number}: {found:?}"
    );
}

#[test]
fn x2_a_near_copy_is_found_and_another_text_is_not() {
    let index = NearIndex::open(Place::Memory, LEAST).unwrap();
    fill(&index, 0, 500);
    for number in 0..500 {
        assert_found(&index, number);
    }
    assert_eq!(index.find(&key(999), &sketch(999, 0)).unwrap(), Found::New);
    assert_eq!(index.find(&key(3), &sketch(3, 5)).unwrap(), Found::Itself);
    assert_eq!(index.pages(), 500);
}

#[test]
fn x2_a_page_that_is_in_no_frame_yet_may_have_copies() {
    let index = NearIndex::open(Place::Memory, LEAST).unwrap();
    index.remember(key(1), sketch(1, 0));
    assert_found(&index, 1);
    index.forget(&key(1));
    assert_eq!(index.find(&key(2), &sketch(1, 3)).unwrap(), Found::New);
    index.remember(key(1), sketch(1, 0));
    fill(&index, 1, 1);
    index.forget(&key(1));
    assert_found(&index, 1);
}

#[test]
fn x2_a_page_that_hardly_changes_is_in_the_index_once() {
    let index = NearIndex::open(Place::Memory, LEAST).unwrap();
    let visits = [(key(1), sketch(1, 0)), (key(1), sketch(1, 3))];
    index.apply(LOG, 0, 1, &visits).unwrap();
    index.apply(LOG, 0, 2, &visits).unwrap();
    assert_eq!(index.pages(), 1);
    index.apply(LOG, 0, 3, &[(key(1), sketch(9, 0))]).unwrap();
    assert_eq!(index.pages(), 2);
}

#[test]
fn x4_the_index_is_the_same_after_it_was_closed() {
    let directory = TempDir::new().unwrap();
    for from in [0, 300, 600] {
        let index = open(directory.path());
        assert_eq!(index.sequences().first().copied().unwrap_or_default(), from);
        fill(&index, from, 300);
        (0..from + 300)
            .step_by(7)
            .for_each(|number| assert_found(&index, number));
        index.close().unwrap();
    }
    let index = open(directory.path());
    assert_eq!((index.pages(), index.log()), (900, LOG));
    (0..900).for_each(|number| assert_found(&index, number));
    assert_eq!(index.list_damages().unwrap(), Vec::<String>::new());
}

#[test]
fn x4_what_was_not_written_comes_again() {
    let directory = TempDir::new().unwrap();
    let index = open(directory.path());
    fill(&index, 0, 100);
    index.close().unwrap();
    let index = open(directory.path());
    fill(&index, 100, 100);
    drop(index);
    let index = open(directory.path());
    assert_eq!((index.sequences(), index.pages()), (vec![100], 100));
    fill(&index, 100, 100);
    fill(&index, 0, 50);
    assert_eq!(index.pages(), 200);
    (0..200).for_each(|number| assert_found(&index, number));
}

#[test]
fn x4_tables_are_merged_and_nothing_is_lost() {
    let directory = TempDir::new().unwrap();
    for round in 0..9u64 {
        let index = open(directory.path());
        fill(&index, round * 50, 50);
        index.close().unwrap();
    }
    let index = open(directory.path());
    // Each frame that fills the newest entries begins a merge, and a later one ends it.
    for frame in 0..20_000_000 {
        index.apply(LOG, 0, 451 + frame, &[]).unwrap();
        if tables(directory.path()) <= 2 {
            break;
        }
    }
    assert!(tables(directory.path()) <= 2);
    (0..450).for_each(|number| assert_found(&index, number));
    assert_eq!(index.list_damages().unwrap(), Vec::<String>::new());
    drop(index);
    let index = open(directory.path());
    (0..450).for_each(|number| assert_found(&index, number));
}

fn tables(directory: &Path) -> usize {
    let files = std::fs::read_dir(directory).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("table-")).count()
}

#[test]
fn x4_files_that_a_crash_left_behind_are_removed() {
    let directory = TempDir::new().unwrap();
    let index = open(directory.path());
    fill(&index, 0, 10);
    index.close().unwrap();
    std::fs::write(directory.path().join("table-77"), "half a table").unwrap();
    drop(open(directory.path()));
    assert_eq!(tables(directory.path()), 1);
}

#[test]
fn x4_partitions_are_applied_each_for_itself() {
    let index = NearIndex::open(Place::Memory, LEAST).unwrap();
    index.apply(LOG, 1, 1, &[(key(1), sketch(1, 0))]).unwrap();
    index.apply(LOG, 0, 1, &[(key(2), sketch(2, 0))]).unwrap();
    index.apply(LOG, 1, 1, &[(key(3), sketch(3, 0))]).unwrap();
    assert_eq!((index.sequences(), index.pages()), (vec![1, 1], 2));
}

#[test]
fn x4_a_damaged_file_is_an_error_and_never_a_panic() {
    let whole = TempDir::new().unwrap();
    let index = open(whole.path());
    fill(&index, 0, 300);
    index.close().unwrap();
    for name in ["manifest", "table-0", "keys", "sketches"] {
        let original = std::fs::read(whole.path().join(name)).unwrap();
        for place in (0..original.len()).step_by(original.len() / 61 + 1) {
            for cut in [false, true] {
                let mut bytes = original.clone();
                if cut {
                    bytes.truncate(place);
                } else {
                    bytes[place] ^= 0x55;
                }
                std::fs::write(whole.path().join(name), &bytes).unwrap();
                if let Ok(index) = NearIndex::open(Place::Directory(whole.path().to_owned()), LEAST)
                {
                    for number in 0..20 {
                        let _ = index.find(&key(999), &sketch(number, 2));
                    }
                    let is_seen = !index.list_damages().is_ok_and(|damages| damages.is_empty());
                    assert!(is_seen || name != "table-0");
                }
            }
        }
        std::fs::write(whole.path().join(name), &original).unwrap();
    }
}

#[test]
fn x4_a_table_of_any_size_returns_what_was_written() {
    let directory = TempDir::new().unwrap();
    for size in [1u64, 2, 15, 16, 33, 1000, 70_000] {
        let mut entries: Vec<_> = (0..size)
            .map(|number| {
                (
                    number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24,
                    number as u32,
                )
            })
            .collect();
        entries.sort_unstable();
        let mut writing = Writing::begin(directory.path().join("table"), size).unwrap();
        for entry in &entries {
            writing.push(*entry).unwrap();
        }
        let table = Table::open(writing.finish().unwrap(), (0, size as u32)).unwrap();
        let mut reading = table.entries().unwrap();
        for entry in &entries {
            assert_eq!(reading.next_entry().unwrap(), Some(*entry));
        }
        assert_eq!(reading.next_entry().unwrap(), None);
        assert!(table.is_intact().unwrap());
        let (mut buffer, mut found) = (Vec::new(), Vec::new());
        for (hash, number) in entries.iter().step_by(17) {
            found.clear();
            table.find(*hash, 10, &mut buffer, &mut found).unwrap();
            assert!(found.contains(number));
        }
    }
}

#[test]
fn x4_a_manifest_is_read_as_it_was_written() {
    let directory = TempDir::new().unwrap();
    assert_eq!(manifest::read(directory.path()).unwrap(), None);
    let written = manifest::Manifest {
        log: u64::MAX,
        sequences: vec![3, 0, 9],
        pages: 12,
        next_table: 5,
        tables: vec![(4, 0, 10), (2, 10, 12)],
    };
    manifest::write(directory.path(), &written).unwrap();
    assert_eq!(
        manifest::read(directory.path()).unwrap(),
        Some(written.clone())
    );
    let gap = manifest::Manifest {
        tables: vec![(4, 0, 9), (2, 10, 12)],
        ..written
    };
    manifest::write(directory.path(), &gap).unwrap();
    assert!(manifest::read(directory.path()).is_err());
}

#[test]
fn x2_the_size_of_a_sketch_is_part_of_the_format() {
    assert_eq!((BINS, BYTES), (64, 76));
}
