//! The error type of the whole library. `kind` selects the Python exception; the text says what to do.

use std::panic::{AssertUnwindSafe, catch_unwind};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller passed something that cannot be used (a bad pattern, a bad setting).
    #[error("{0}")]
    Invalid(String),
    /// The operating system refused.
    #[error("{context}: {source}")]
    Io {
        context: String,
        #[source]
        source: std::io::Error,
    },
    /// A file of ours is not what we wrote: rebuild the view from the log.
    #[error("{0}")]
    Corrupt(String),
}

pub type Result<T> = std::result::Result<T, Error>;

/// Runs a step of a store, and turns a panic into damage: its half-finished work cannot be trusted, and a panic on a
/// background thread would not be reported otherwise.
pub fn or_damage<T>(what: &str, step: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<&str>().copied();
        let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let said = said.unwrap_or("without a word");
        Err(Error::Corrupt(format!("{what} panicked: {said}")))
    })
}

impl Error {
    pub fn io(context: impl Into<String>, source: std::io::Error) -> Self {
        Error::Io {
            context: context.into(),
            source,
        }
    }
}
