//! Checks a store for damage: reads every block of every run.
//!
//! It changes, locks and keeps nothing. So it works on a store that is too damaged to be opened, and on read-only
//! media. The caller ensures that nobody writes meanwhile.

use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;

use super::filter::hash;
use super::manifest;
use super::run::Run;
use super::run_set::{OpenRun, open_run, path};
use crate::error::{Error, Result};

/// Bytes between two progress reports.
const STEP: u64 = 16 * 1024 * 1024;

/// Called with bytes read and total bytes; `Break` ends the check.
pub type Progress<'a> = dyn FnMut(u64, u64) -> ControlFlow<()> + 'a;

#[derive(Debug, Default)]
pub struct Checked {
    pub runs: u64,
    pub blocks: u64,
    /// At most one for each file.
    pub damages: Vec<Damage>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Damage {
    pub file: String,
    pub what: String,
}

/// Checks the directory of the runs. Files that the system cannot read are an error; files with other content than was
/// written are damage.
pub fn check(directory: &Path, progress: &mut Progress<'_>) -> Result<Checked> {
    let mut checked = Checked::default();
    let listed = match manifest::read(directory) {
        Err(Error::Corrupt(what)) => {
            checked.note(directory, what);
            return Ok(checked);
        }
        listed => listed?.unwrap_or_default(),
    };
    let mut held = Vec::new();
    for listed in listed {
        checked.runs += 1;
        match open_run(directory, listed) {
            Ok(run) => held.push(run),
            Err(error) => checked.note(&path(directory, listed.number), unless_shut(error)?),
        }
    }
    let mut steps = Steps {
        progress,
        total: held.iter().map(|held| held.run.bytes()).sum(),
        done: 0,
        told: 0,
    };
    for OpenRun { listed, run } in held {
        let Some(what) = check_run(&run, &mut checked.blocks, &mut steps)? else {
            continue;
        };
        checked.note(&path(directory, listed.number), what);
    }
    steps.end()?;
    Ok(checked)
}

impl Checked {
    fn note(&mut self, file: &Path, what: String) {
        let file = file.file_name().unwrap_or(file.as_os_str());
        self.damages.push(Damage {
            file: file.to_string_lossy().into_owned(),
            what,
        });
    }
}

struct Steps<'a, 'b> {
    progress: &'a mut Progress<'b>,
    total: u64,
    done: u64,
    told: u64,
}

impl Steps<'_, '_> {
    fn read(&mut self, bytes: u64) -> Result<()> {
        self.done += bytes;
        if self.done - self.told < STEP {
            return Ok(());
        }
        self.tell(self.done)
    }

    /// Reports the end if a beginning was reported.
    fn end(&mut self) -> Result<()> {
        match self.told {
            0 => Ok(()),
            _ => self.tell(self.total),
        }
    }

    fn tell(&mut self, done: u64) -> Result<()> {
        self.told = done;
        match (self.progress)(done, self.total) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Invalid("the check was ended".into())),
        }
    }
}

/// Describes what is wrong with a run.
fn check_run(run: &Run, blocks: &mut u64, steps: &mut Steps<'_, '_>) -> Result<Option<String>> {
    let (mut rows, mut last_key) = (0, Vec::new());
    let (mut bad, mut first) = (0u64, None);
    for number in 0..run.blocks() {
        *blocks += 1;
        let read = check_block(run, number, &mut last_key);
        match read {
            Ok((found, bytes)) => {
                rows += found;
                steps.read(bytes)?;
            }
            Err(error) => {
                let what = unless_shut(error)?;
                let start = run.beginning(number).map_or(0, |(_, start)| start);
                first.get_or_insert((start, what));
                bad += 1;
            }
        }
    }
    Ok(match first {
        Some((start, what)) => {
            let (all, are) = (run.blocks(), if bad == 1 { "is" } else { "are" });
            Some(format!(
                "{bad} of {all} blocks {are} bad, the first at byte {start}: {what}"
            ))
        }
        None if rows != run.rows() => Some(format!("it has {rows} of {} rows", run.rows())),
        None => None,
    })
}

/// Checks a block: it must be intact, begin where the index says, continue after the previous block, and have only keys
/// that the filter contains. Returns its rows and bytes.
fn check_block(run: &Run, number: usize, last_key: &mut Vec<u8>) -> Result<(u64, u64)> {
    let block = run.block(number)?;
    let wrong = |what: &str| Error::Corrupt(what.into());
    for row in 0..block.rows() {
        let entry = block.entry(row)?;
        if row == 0
            && run
                .beginning(number)
                .is_none_or(|(first, _)| first != entry.key)
        {
            return Err(wrong("it does not begin as the index says"));
        }
        if entry.key <= &last_key[..] {
            return Err(wrong("its keys are out of order"));
        }
        if !run.may_contain(hash(entry.key)) {
            return Err(wrong("the filter does not know its keys"));
        }
        last_key.clear();
        last_key.extend_from_slice(entry.key);
    }
    Ok((block.rows() as u64, block.bytes()))
}

/// The text of an error, unless it is one of access, which says nothing about the content.
fn unless_shut(error: Error) -> Result<String> {
    match error {
        Error::Io { source, .. } if source.kind() != ErrorKind::PermissionDenied => {
            Ok(source.to_string())
        }
        Error::Corrupt(what) => Ok(what),
        other => Err(other),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tree::{Batch, Tree};
    use super::super::RunTree;
    use super::*;

    fn checked(directory: &Path) -> Checked {
        check(directory, &mut |_, _| ControlFlow::Continue(())).unwrap()
    }

    /// Two runs of a few blocks each.
    fn fill(directory: &Path) {
        let tree = RunTree::open(directory, 8 * 1024 * 1024).unwrap();
        for round in 0..2u8 {
            let mut batch = Batch::default();
            for number in 0..200u32 {
                let key = [&[b's', round][..], &number.to_be_bytes()].concat();
                batch.insert(&key, &[7; 100]);
            }
            tree.write(&batch).unwrap();
            tree.sync().unwrap();
        }
    }

    #[test]
    fn whatever_byte_of_a_run_is_changed_its_file_is_named_and_the_others_are_read() {
        let directory = tempfile::tempdir().unwrap();
        fill(directory.path());
        let whole = checked(directory.path());
        assert_eq!(whole.runs, 2);
        assert!(whole.blocks >= 10 && whole.damages.is_empty(), "{whole:?}");
        let path = directory.path().join("00000000.run");
        let bytes = std::fs::read(&path).unwrap();
        for position in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
            let mut changed = bytes.clone();
            changed[position] ^= 1;
            std::fs::write(&path, changed).unwrap();
            let checked = checked(directory.path());
            let files: Vec<_> = checked.damages.iter().map(|found| &found.file).collect();
            assert_eq!(files, ["00000000.run"], "byte {position}");
        }
        std::fs::write(&path, &bytes).unwrap();
        assert!(checked(directory.path()).damages.is_empty());
    }

    #[test]
    fn several_bad_blocks_of_a_run_are_counted() {
        let directory = tempfile::tempdir().unwrap();
        fill(directory.path());
        let path = directory.path().join("00000001.run");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[10] ^= 1;
        bytes[9_000] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let found = checked(directory.path()).damages;
        assert_eq!(found.len(), 1);
        assert!(
            found[0].what.starts_with("2 of ") && found[0].what.contains("at byte 0: a block"),
            "{found:?}"
        );
    }

    #[test]
    fn a_list_or_a_run_that_is_gone_is_damage_and_no_store_is_none() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(checked(directory.path()).runs, 0);
        fill(directory.path());
        std::fs::remove_file(directory.path().join("00000000.run")).unwrap();
        assert_eq!(checked(directory.path()).damages[0].file, "00000000.run");
        std::fs::write(directory.path().join("runs"), b"no list").unwrap();
        assert_eq!(checked(directory.path()).damages.len(), 1);
    }

    #[test]
    fn whoever_watches_may_end_it() {
        let mut steps = Steps {
            progress: &mut |_, _| ControlFlow::Break(()),
            total: 2 * STEP,
            done: 0,
            told: 0,
        };
        assert!(steps.read(1).is_ok() && steps.read(STEP).is_err());
    }
}
