//! Versions of the identity rules (U3).
//!
//! A changed rule gives known URLs other keys, and a crawl would fetch them again as new. So a crawl keeps the
//! version that it was created with, and a new rule needs a new version.

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// For crawls without a version.
    First,
    /// Adds the session ids of ASP.NET and ColdFusion and `session_id`, one form of brackets and their like in a
    /// query, one host with and without its final dot, and `^` encoded in a path.
    Second,
}

impl Version {
    pub const NEWEST: Version = Version::Second;

    pub fn of(number: u8) -> Option<Version> {
        match number {
            1 => Some(Version::First),
            2 => Some(Version::Second),
            _ => None,
        }
    }
}
