//! Bytes of the log.
//!
//! ```text
//! gzip       a sealed segment, compressed
//! ```

pub mod gzip;
