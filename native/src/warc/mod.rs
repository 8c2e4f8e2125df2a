//! Writes and reads WARC 1.1 (S3).
//!
//! A fetch becomes a *response* (or a *revisit*, if its body is already archived), its *request* and *metadata*. Each
//! record is a gzip member of its own, so that it can be read alone. The stored bytes are those of the wire, with two
//! exceptions that the stored head shows: chunks are joined, and a wrong length is corrected ([`stored_head`]).
//! Digests are SHA-256 over the stored bytes, in hex: the form that both `warcio check` and
//! `fastwarc check` verify.
//!
//! Nothing here touches a file. A [`Block`] is the bytes to append and the positions of its records.
//!
//! ```text
//! block        fetches → records          scan     records → their types, and whether they are intact
//! record       a record's own head        read     one record → head and decoded body
//! stored_head  the HTTP head as stored    cdxj     the index line of a record, by surt
//! member       gzip members               date     WARC dates and index timestamps
//! surt         the sort key of a URL      page     one record → the page that it holds
//! foreign      archives of others              rewriting  records → another file, some without bodies
//! ```

mod block;
mod cdxj;
mod date;
mod digest;
mod foreign;
mod member;
mod page;
mod read;
mod record;
mod rewriting;
mod scan;
mod stored_head;
mod surt;

pub use block::{ArchivedFetch, Block, Original, Position, block, information};
pub use foreign::{ForeignArchive, ForeignRecord};
pub use page::{Archived, page};
pub use read::{Content, read, stored_body};
pub use rewriting::{Copied, Copy, copy};
pub use scan::{Entry, Scan, scan};

/// How records are written. One per crawl.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name and version of the software, for `warcinfo`.
    pub software: String,
    /// Who runs the crawl; may be empty.
    pub operator: String,
    /// The `robots` field of `warcinfo`.
    pub robots_policy: String,
    /// 1 (fast) to 12 (small). Bodies that came compressed are stored unchanged at any level.
    pub compression: i32,
}
