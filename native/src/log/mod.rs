//! Compression of sealed log segments.

pub mod gzip;
