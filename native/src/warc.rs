//! warc
