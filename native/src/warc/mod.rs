//! WARC 1.1 (S3): the exchange as it was, in records that others can read.
//!
//! A fetch becomes a *response* (or a *revisit*, where its body is already kept), the *request* that
//! led to it and *metadata*; each record is a gzip member of its own, so that any one can be read
//! alone. What is stored is what came over the wire, with two exceptions that the stored head
//! admits: chunks are joined, and a length that was wrong is set right ([`stored_head`]).
//! Digests are SHA-256 over the stored bytes, in hex: the form that both `warcio check` and
//! `fastwarc check` verify.
//!
//! Nothing here touches a file. A [`Block`] is bytes to append and where its records will lie.
//!
//! ```text
//! block        fetches → records          scan     records → what they are, and whether they are whole
//! record       a record's own head        read     one record → head and decoded body
//! stored_head  the HTTP head as stored    cdxj     the index line of a record, by surt
//! member       gzip members               date     WARC dates and index timestamps
//! surt         the sort key of a URL      page     one record → the page that it holds
//! ```

mod block;
mod cdxj;
mod date;
mod digest;
mod member;
mod page;
mod read;
mod record;
mod scan;
mod stored_head;
mod surt;

pub use block::{ArchivedFetch, Block, Original, Position, block, information};
pub use page::{Archived, page};
pub use read::{Content, read};
pub use scan::{Entry, Scan, scan};

/// How records are written; one per crawl.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name and version of what writes, for `warcinfo`.
    pub software: String,
    /// Who runs the crawl; empty where nobody said.
    pub operator: String,
    /// What `warcinfo` says of robots.txt.
    pub robots_policy: String,
    /// 1 (fast) to 12 (small); bodies that came compressed are stored as they are at any level.
    pub compression: i32,
}
