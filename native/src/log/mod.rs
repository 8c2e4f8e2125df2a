//! Bytes of the log.
//!
//! ```text
//! gzip       a sealed segment, compressed
//! layouts    frames that can be read back, told from their bytes
//! ```

pub mod gzip;
pub mod layouts;
