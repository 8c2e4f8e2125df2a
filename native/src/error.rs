//! One error for the whole library. `kind` is what Python raises by; the text says what to do.

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

impl Error {
    pub fn io(context: impl Into<String>, source: std::io::Error) -> Self {
        Error::Io {
            context: context.into(),
            source,
        }
    }
}
