//! URL identity (U1-U3).

/// The first 16 bytes of SHA-256 over the key form.
pub type Key = [u8; 16];

/// The lossy steps of U2, each a switch; frozen when a crawl is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switches {
    pub sort_query: bool,
    pub drop_tracking: bool,
    pub drop_session: bool,
    pub drop_index: bool,
    pub drop_trailing_slash: bool,
    pub drop_www: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Switches {
            sort_query: true,
            drop_tracking: true,
            drop_session: true,
            drop_index: false,
            drop_trailing_slash: false,
            drop_www: false,
        }
    }
}
