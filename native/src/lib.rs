//! The native library of Hondius.
//!
//! A plain Rust library: work per byte and per link is done here, decisions per page are made in
//! Python. The Python bindings (`python/`, feature `python`) are thin: they convert arguments, release
//! the GIL and map [`error::Error`] to one exception; nothing else.
//!
//! No function reachable from input panics; every input has a cap.

pub mod change;
pub mod charset;
mod civil_date;
pub mod clock;
pub mod css;
pub mod engine;
pub mod error;
pub mod extraction;
pub mod fetched;
pub mod field_rules;
mod files;
pub mod focus;
pub mod html;
pub mod http_date;
pub mod language;
pub mod links;
pub mod log;
pub mod main_text;
pub mod media_type;
pub mod memory;
mod names;
pub mod near;
pub mod packing;
pub mod page;
pub mod quality;
pub mod rank;
pub mod read_ahead;
pub mod requisites;
pub mod rewriting;
pub mod robots;
pub mod scope;
pub mod select;
pub mod simhash;
pub mod sitemap;
mod sixteen;
pub mod structured;
pub mod url;
pub mod url_store;
pub mod usage;
pub mod warc;
pub mod words;

#[cfg(feature = "python")]
mod python;
