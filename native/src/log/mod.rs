//! Log segments: compression of sealed ones, and a check of encoded events.

pub mod gzip;
pub mod layouts;
