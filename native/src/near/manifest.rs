//! The list of tables, and how far the log was applied: the only file that is replaced.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::table::read_small;
use super::{damaged, failed_at};
use crate::error::Result;
use crate::files;

const VERSION: u64 = 1;
const NAME: &str = "manifest";
const NEW: &str = "manifest.new";
const LARGEST: u64 = 1 << 20;
const MOST_PARTITIONS: u64 = 1 << 16;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The identity of the log.
    pub log: u64,
    /// The sequence of the last applied frame of each partition.
    pub sequences: Vec<u64>,
    /// Pages in the index, all of them in tables.
    pub pages: u32,
    /// The number of the next table.
    pub next_table: u64,
    /// Number and pages of each table, oldest first.
    pub tables: Vec<(u64, u32, u32)>,
}

pub fn read(directory: &Path) -> Result<Option<Manifest>> {
    let path = directory.join(NAME);
    let Some(bytes) = read_small(&path, LARGEST)? else {
        return Ok(None);
    };
    let parsed = parse(&bytes).filter(is_whole);
    parsed
        .map(Some)
        .ok_or_else(|| damaged(&path, "it is damaged"))
}

pub fn write(directory: &Path, manifest: &Manifest) -> Result<()> {
    let new = directory.join(NEW);
    let mut file = files::create_new(&new).map_err(failed_at(&new))?;
    file.write_all(&encode(manifest))
        .and_then(|()| file.sync_all())
        .map_err(failed_at(&new))?;
    std::fs::rename(&new, directory.join(NAME)).map_err(failed_at(&new))?;
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(failed_at(directory))
}

fn encode(manifest: &Manifest) -> Vec<u8> {
    let mut numbers = vec![VERSION, manifest.log, manifest.sequences.len() as u64];
    numbers.extend(&manifest.sequences);
    numbers.extend([
        u64::from(manifest.pages),
        manifest.next_table,
        manifest.tables.len() as u64,
    ]);
    for (number, first, end) in &manifest.tables {
        numbers.extend([*number, u64::from(*first), u64::from(*end)]);
    }
    let mut bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    bytes
}

fn parse(bytes: &[u8]) -> Option<Manifest> {
    let (content, checksum) = bytes.split_last_chunk::<8>()?;
    if u64::from_le_bytes(*checksum) != xxh3_64(content) {
        return None;
    }
    let (numbers, rest) = content.as_chunks::<8>();
    if !rest.is_empty() {
        return None;
    }
    let mut numbers = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes));
    if numbers.next()? != VERSION {
        return None;
    }
    let mut manifest = Manifest {
        log: numbers.next()?,
        ..Manifest::default()
    };
    let partitions = numbers.next().filter(|count| *count <= MOST_PARTITIONS)?;
    for _ in 0..partitions {
        manifest.sequences.push(numbers.next()?);
    }
    manifest.pages = u32::try_from(numbers.next()?).ok()?;
    manifest.next_table = numbers.next()?;
    let tables = numbers.next()?;
    for _ in 0..tables {
        let number = numbers.next()?;
        let first = u32::try_from(numbers.next()?).ok()?;
        manifest
            .tables
            .push((number, first, u32::try_from(numbers.next()?).ok()?));
    }
    numbers.next().is_none().then_some(manifest)
}

/// Whether each page is in one table.
fn is_whole(manifest: &Manifest) -> bool {
    let mut next = 0;
    for (number, first, end) in &manifest.tables {
        if *first != next || end <= first || *number >= manifest.next_table {
            return false;
        }
        next = *end;
    }
    next == manifest.pages
}
