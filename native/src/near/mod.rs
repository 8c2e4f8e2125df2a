//! Near copies (X2, X4): which pages say nearly the same as another.
//!
//! Each page that is no near copy has a number, its key and its sketch in the index, and an entry for each of its four
//! bands. A page is compared with those that share a band with it. Near copies have no entries: they are compared with
//! the canonical member of their cluster, so clusters do not grow into chains.
//!
//! - `sketch`: 76 bytes of each page, from which the similarity of two pages is estimated.
//! - `entries`: the newest entries, in memory.
//! - `table`: older entries, sorted in a file; `merge` makes one table of two.
//! - `pending`: pages that are in no frame yet.
//! - `records`: keys and sketches, by number.
//! - `manifest`: the list of tables, and how far the log was applied.
//! - `index`: all of it, behind one lock. A view of the log: what was not written comes again.

mod entries;
mod index;
mod manifest;
mod merge;
mod pending;
mod records;
pub mod sketch;
mod table;
#[cfg(test)]
mod tests;

pub use index::{Found, NearIndex, Place};

/// A page: the first 16 bytes of the SHA-256 of its key form.
pub type Key = [u8; 16];

fn failed_at(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> crate::error::Error + '_ {
    move |error| crate::error::Error::io(path.display().to_string(), error)
}

fn damaged(path: &std::path::Path, what: &str) -> crate::error::Error {
    crate::error::Error::Corrupt(format!("{}: {what}", path.display()))
}
