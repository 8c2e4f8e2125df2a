//! Versions of the rules of identity (U3).
//!
//! A rule that changes gives known URLs other keys: a crawl would fetch them again as new. So a crawl keeps the
//! version that it was made with, and a new rule is a new version.

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// Of crawls that name no version.
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
