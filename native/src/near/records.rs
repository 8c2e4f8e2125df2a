//! The keys and sketches of all pages, by number: two files of records of fixed size, and the newest in memory.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::sketch::{BYTES, Sketch};
use super::{Key, damaged, failed_at};
use crate::error::{Error, Result};
use crate::files;

const KEYS: &str = "keys";
const SKETCHES: &str = "sketches";
const KEY: usize = size_of::<Key>();

pub struct Records {
    files: Option<(File, File)>,
    /// Pages in the files.
    stored: u32,
    newest: Vec<(Key, Sketch)>,
}

impl Records {
    pub fn in_memory() -> Self {
        Records {
            files: None,
            stored: 0,
            newest: Vec::new(),
        }
    }

    /// `stored`: how many pages the files have; what comes after them was never listed.
    pub fn open(directory: &Path, stored: u32) -> Result<Self> {
        let open = |name: &str, size: usize| {
            let path = directory.join(name);
            let file = files::open_or_create(&path).map_err(failed_at(&path))?;
            let length = file.metadata().map_err(failed_at(&path))?.len();
            if length < u64::from(stored) * size as u64 {
                return Err(damaged(&path, "it is too short"));
            }
            Ok(file)
        };
        Ok(Records {
            files: Some((open(KEYS, KEY)?, open(SKETCHES, BYTES)?)),
            stored,
            newest: Vec::new(),
        })
    }

    pub fn len(&self) -> u32 {
        self.stored + self.newest.len() as u32
    }

    pub fn stored(&self) -> u32 {
        self.stored
    }

    pub fn push(&mut self, key: Key, sketch: Sketch) {
        self.newest.push((key, sketch));
    }

    /// `None`: no such page. A damaged table may name one.
    pub fn sketch(&self, number: u32) -> Result<Option<Sketch>> {
        let mut sketch = [0; BYTES];
        match self.newest_of(number) {
            Some(record) => return Ok(record.map(|(_, sketch)| *sketch)),
            None => self.read(|files| &files.1, &mut sketch, number)?,
        }
        Ok(Some(sketch))
    }

    pub fn key(&self, number: u32) -> Result<Option<Key>> {
        let mut key = [0; KEY];
        match self.newest_of(number) {
            Some(record) => return Ok(record.map(|(key, _)| *key)),
            None => self.read(|files| &files.0, &mut key, number)?,
        }
        Ok(Some(key))
    }

    /// The newest records, with the number of the first.
    pub fn newest(&self) -> &[(Key, Sketch)] {
        &self.newest
    }

    /// Makes the newest records durable. They are stored when a manifest lists them: `mark_stored`.
    pub fn write(&self) -> Result<()> {
        let Some((keys, sketches)) = &self.files else {
            return Ok(());
        };
        let (mut of_keys, mut of_sketches) = (Vec::new(), Vec::new());
        for (key, sketch) in &self.newest {
            of_keys.extend_from_slice(key);
            of_sketches.extend_from_slice(sketch);
        }
        let stored = u64::from(self.stored);
        keys.write_all_at(&of_keys, stored * KEY as u64)
            .and_then(|()| sketches.write_all_at(&of_sketches, stored * BYTES as u64))
            .and_then(|()| keys.sync_data())
            .and_then(|()| sketches.sync_data())
            .map_err(|error| Error::io("keys and sketches", error))
    }

    pub fn mark_stored(&mut self) {
        self.stored += self.newest.len() as u32;
        self.newest = Vec::new();
    }

    /// The record in memory, if the page is not in the files; `Some(None)` if there is no such page.
    fn newest_of(&self, number: u32) -> Option<Option<&(Key, Sketch)>> {
        let place = number.checked_sub(self.stored)?;
        Some(self.newest.get(place as usize))
    }

    fn read(
        &self,
        file: impl Fn(&(File, File)) -> &File,
        record: &mut [u8],
        number: u32,
    ) -> Result<()> {
        let Some(files) = &self.files else {
            return Err(Error::Corrupt("a record is missing".into()));
        };
        let at = u64::from(number) * record.len() as u64;
        file(files)
            .read_exact_at(record, at)
            .map_err(|error| Error::io("keys and sketches", error))
    }
}
