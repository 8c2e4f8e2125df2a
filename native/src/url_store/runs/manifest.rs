//! The list of runs: the only file that is replaced.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::super::rows::damaged;
use super::super::wire::{Reader, put_varint};
use super::failed_at;
use crate::error::Result;
use crate::files;

const VERSION: u8 = 1;
const NAME: &str = "runs";
const NEW: &str = "runs.new";
/// Maximum bytes: there are a few dozen runs.
const LARGEST: u64 = 1024 * 1024;

/// A run: its number, and how often its rows were merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    pub number: u64,
    pub level: u8,
}

/// The runs, newest first; `None` if there never were any.
pub fn read(directory: &Path) -> Result<Option<Vec<Listed>>> {
    let path = directory.join(NAME);
    let read = files::open(&path).and_then(|file| {
        let mut bytes = Vec::new();
        file.take(LARGEST).read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    match read {
        Ok(bytes) => parse(&bytes)
            .map(Some)
            .ok_or_else(|| damaged("a list of runs")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed_at(&path)(error)),
    }
}

/// Replaces the list atomically.
pub fn write(directory: &Path, runs: &[Listed]) -> Result<()> {
    let new = directory.join(NEW);
    let mut file = files::create_new(&new).map_err(failed_at(&new))?;
    file.write_all(&encode(runs)).map_err(failed_at(&new))?;
    file.sync_all().map_err(failed_at(&new))?;
    std::fs::rename(&new, directory.join(NAME)).map_err(failed_at(&new))?;
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(failed_at(directory))
}

fn encode(runs: &[Listed]) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    for run in runs {
        bytes.push(run.level);
        put_varint(&mut bytes, run.number);
    }
    bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
    bytes
}

fn parse(bytes: &[u8]) -> Option<Vec<Listed>> {
    let (content, checksum) = bytes.split_last_chunk::<8>()?;
    if u64::from_le_bytes(*checksum) != xxh3_64(content) {
        return None;
    }
    let mut reader = Reader::new(content);
    if reader.byte()? != VERSION {
        return None;
    }
    let mut runs = Vec::new();
    while !reader.is_empty() {
        let level = reader.byte()?;
        let number = reader.varint().filter(|number| *number < u64::MAX / 2)?;
        runs.push(Listed { number, level });
    }
    Some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_comes_back_and_a_damaged_one_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(read(directory.path()).unwrap(), None);
        let runs = [(7, 0), (300, 2)].map(|(number, level)| Listed { number, level });
        write(directory.path(), &runs).unwrap();
        assert_eq!(read(directory.path()).unwrap().unwrap(), runs);
        let path = directory.path().join(NAME);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[2] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(read(directory.path()).is_err());
    }
}
