//! Opens the files of a crawl directory, which may come from a stranger.
//!
//! Symbolic links are never followed, and only regular files are opened. Otherwise a directory from a stranger could make
//! Hondius write to any file of its user, or wait forever at a pipe. The same holds for directories inside a crawl. The
//! crawl directory itself may be a link, because the user named it.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Without O_NONBLOCK, opening a pipe waits for its other end.
const FLAGS: i32 = libc::O_NOFOLLOW | libc::O_NONBLOCK;

pub fn open(path: &Path) -> Result<File> {
    opened(OpenOptions::new().read(true), path)
}

/// Creates the file if it is missing; keeps its content.
pub fn open_or_create(path: &Path) -> Result<File> {
    opened(
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false),
        path,
    )
}

/// Creates the file if it is missing.
pub fn append(path: &Path) -> Result<File> {
    opened(OpenOptions::new().append(true).create(true), path)
}

/// Creates a new file. An existing file of that name is removed, not written to.
pub fn create_new(path: &Path) -> Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => OpenOptions::new().write(true).create_new(true).open(path),
    }
}

/// Creates the directory and its parents if they are missing.
pub fn create_directory(path: &Path) -> Result<()> {
    if let Some(above) = path.parent() {
        std::fs::create_dir_all(above)?;
    }
    match std::fs::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => refuse_link(path),
        made => made,
    }
}

/// Reads a file that a setting names. It may be reached by a symbolic link. At most `cap` bytes are read.
pub fn read_named(path: &Path, cap: u64) -> Result<Vec<u8>> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(refused("a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(cap).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn refuse_link(directory: &Path) -> Result<()> {
    match std::fs::symlink_metadata(directory)?.is_dir() {
        true => Ok(()),
        false => Err(refused("a directory")),
    }
}

fn opened(options: &mut OpenOptions, path: &Path) -> Result<File> {
    let file =
        options
            .custom_flags(FLAGS)
            .open(path)
            .map_err(|error| match error.raw_os_error() {
                Some(libc::ELOOP | libc::EMLINK | libc::ENXIO) => refused("a regular file"),
                _ => error,
            })?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(refused("a regular file")),
    }
}

/// An error without errno: a store that contains such a file counts as broken and is rebuilt.
fn refused(expected: &str) -> Error {
    Error::new(ErrorKind::InvalidData, format!("it is not {expected}"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn q2_a_link_is_never_followed_and_never_written_through() {
        let directory = tempfile::tempdir().unwrap();
        let (victim, link) = (
            directory.path().join("victim"),
            directory.path().join("link"),
        );
        std::fs::write(&victim, b"precious").unwrap();
        symlink(&victim, &link).unwrap();
        for open in [open, open_or_create, append] {
            assert_eq!(open(&link).unwrap_err().kind(), ErrorKind::InvalidData);
        }
        create_new(&link).unwrap().write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
        assert_eq!(std::fs::read(&link).unwrap(), b"new");
    }

    #[test]
    fn q2_a_link_to_a_directory_is_no_directory_of_a_crawl() {
        let directory = tempfile::tempdir().unwrap();
        let (made, link) = (directory.path().join("made"), directory.path().join("link"));
        create_directory(&made).unwrap();
        create_directory(&made).unwrap();
        symlink(&made, &link).unwrap();
        assert_eq!(
            create_directory(&link).unwrap_err().kind(),
            ErrorKind::InvalidData
        );
    }

    #[test]
    fn q2_a_pipe_is_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        let name = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
        // SAFETY: `name` is a C string that lives through the call.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        for open in [open, open_or_create, append] {
            assert_eq!(open(&pipe).unwrap_err().kind(), ErrorKind::InvalidData);
        }
    }
}
