//! URL identity (U1-U3): the URL that is requested, and the key that identifies it.
//!
//! [`parse`] turns a text into an *href*: WHATWG, http(s) only, without fragment and user info. [`Identity`] turns an
//! href into a *key form*: the text whose hash is the [`Key`]. Lossy steps affect only the key form; the href is what
//! is requested, matched against robots.txt and archived.

mod ascii_host;
mod key_form;
mod parameters;
pub(crate) mod percent;
mod query_encoding;
mod sessions;
mod split;
mod version;

use std::fmt;

use encoding_rs::{Encoding, UTF_8};
use sha2::{Digest, Sha256};
use url::{ParseError, Position, Url};

use crate::error::Error;

pub use split::{host_of_origin, split_origin};
pub use version::Version;

/// The first 16 bytes of SHA-256 over the key form.
pub type Key = [u8; 16];

/// Longer texts are refused before they are parsed: parsing may triple their length.
pub const MAX_TEXT: usize = 64 * 1024;

/// The lossy steps of U2, each with a switch, and the version of their rules. Frozen when a crawl is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    pub version: Version,
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
            version: Version::NEWEST,
            sort_query: true,
            drop_tracking: true,
            drop_session: true,
            drop_index: false,
            drop_trailing_slash: false,
            drop_www: false,
        }
    }
}

/// Why a text is not a URL that can be crawled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Another scheme: mailto, javascript, ftp, data…
    NotHttp,
    NoHost,
    BadHost,
    BadPort,
    /// Relative, without a base to resolve it against.
    NoBase,
    BadBase,
    TooLong,
    Invalid,
}

impl Reason {
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::NotHttp => "not_http",
            Reason::NoHost => "no_host",
            Reason::BadHost => "bad_host",
            Reason::BadPort => "bad_port",
            Reason::NoBase => "no_base",
            Reason::BadBase => "bad_base",
            Reason::TooLong => "too_long",
            Reason::Invalid => "invalid",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl From<ParseError> for Reason {
    fn from(error: ParseError) -> Self {
        match error {
            ParseError::EmptyHost => Reason::NoHost,
            ParseError::IdnaError
            | ParseError::InvalidIpv4Address
            | ParseError::InvalidIpv6Address
            | ParseError::InvalidDomainCharacter => Reason::BadHost,
            ParseError::InvalidPort => Reason::BadPort,
            ParseError::RelativeUrlWithoutBase
            | ParseError::RelativeUrlWithCannotBeABaseBase
            | ParseError::SetHostOnCannotBeABaseUrl => Reason::NoBase,
            ParseError::Overflow => Reason::TooLong,
            _ => Reason::Invalid,
        }
    }
}

impl From<Reason> for Error {
    fn from(reason: Reason) -> Self {
        Error::Invalid(reason.to_string())
    }
}

/// Parses `text` by the URL standard. [`Identity::parse`] makes an href of it (U1).
pub fn parse(text: &str, base: Option<&Url>) -> Result<Url, Reason> {
    parse_in(text, base, UTF_8)
}

/// Like [`parse`], for a text of a document in `encoding`, in which its query is written.
fn parse_in(text: &str, base: Option<&Url>, encoding: &'static Encoding) -> Result<Url, Reason> {
    if has_foreign_scheme(text) {
        return Err(Reason::NotHttp);
    }
    if text.len() > MAX_TEXT {
        return Err(Reason::TooLong);
    }
    let mut url = parse_any(text, base, encoding)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Reason::NotHttp);
    }
    if !url.has_host() {
        return Err(Reason::NoHost);
    }
    strip_private_parts(&mut url)?;
    Ok(url)
}

/// Parses a URL of any scheme by the current standard, which differs from the `url` crate in two ways.
fn parse_any(
    text: &str,
    base: Option<&Url>,
    encoding: &'static Encoding,
) -> Result<Url, ParseError> {
    match parse_slashes(text, base, encoding) {
        Err(ParseError::IdnaError) => {
            ascii_host::parse(text, |text| parse_slashes(text, base, encoding))
        }
        result => result,
    }
}

/// WHATWG skips any number of slashes before the host of a scheme-relative link (`///example.com`);
/// the `url` crate wants exactly two.
fn parse_slashes(
    text: &str,
    base: Option<&Url>,
    encoding: &'static Encoding,
) -> Result<Url, ParseError> {
    match (query_encoding::parse(text, base, encoding), base) {
        (Err(ParseError::EmptyHost), Some(base)) if base.is_special() => {
            let host = behind_slashes(text).ok_or(ParseError::EmptyHost)?;
            let absolute = format!("{}://{host}", base.scheme());
            query_encoding::parse(&absolute, None, encoding)
        }
        (result, _) => result,
    }
}

fn behind_slashes(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c <= ' ');
    let host = text.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    (host.len() < text.len()).then_some(host)
}

/// A base may have any scheme; only URLs resolved against it must be http(s).
pub fn parse_base(text: &str) -> Result<Url, Reason> {
    if text.len() > MAX_TEXT {
        return Err(Reason::BadBase);
    }
    parse_any(text, None, UTF_8).map_err(|_| Reason::BadBase)
}

/// The base that `<base href>` sets for a document in `encoding`: any scheme, as in [`parse_base`].
pub fn join_base(document: &Url, text: &str, encoding: &'static Encoding) -> Result<Url, Reason> {
    if text.len() > MAX_TEXT {
        return Err(Reason::BadBase);
    }
    parse_any(text, Some(document), encoding).map_err(|_| Reason::BadBase)
}

/// Where a link of a document in `encoding` leads, with its fragment; `None` if that is nothing of the web.
pub fn resolve_with_fragment(base: &Url, text: &str, encoding: &'static Encoding) -> Option<Url> {
    if has_foreign_scheme(text) || text.len() > MAX_TEXT {
        return None;
    }
    let mut url = parse_any(text, Some(base), encoding).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    let is_plain = url.username().is_empty() && url.password().is_none();
    if is_web && !is_plain {
        url.set_password(None).ok()?;
        url.set_username("").ok()?;
    }
    is_web.then_some(url)
}

/// Normalises a host as in an href: a name in lower-case ASCII, or an address.
pub fn parse_host(text: &str) -> Result<String, Reason> {
    if text.contains(['/', '\\', '?', '#', '@', ':']) && !text.starts_with('[') {
        return Err(Reason::BadHost);
    }
    let url = parse(&format!("http://{text}"), None)?;
    Ok(url.host_str().unwrap_or_default().to_owned())
}

fn strip_private_parts(url: &mut Url) -> Result<(), Reason> {
    if url.fragment().is_some() {
        url.set_fragment(None);
    }
    if url.password().is_some() {
        url.set_password(None).map_err(|()| Reason::Invalid)?;
    }
    if !url.username().is_empty() {
        url.set_username("").map_err(|()| Reason::Invalid)?;
    }
    Ok(())
}

/// True if the scheme is obviously another one; the parser judges the rest. This saves parsing `javascript:` and long
/// `data:` links.
fn has_foreign_scheme(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c <= ' ').as_bytes();
    let is_scheme_byte =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let Some(end) = text.iter().position(|byte| !is_scheme_byte(byte)) else {
        return false;
    };
    let scheme = &text[..end];
    text[end] == b':'
        && scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && !scheme.eq_ignore_ascii_case(b"http")
        && !scheme.eq_ignore_ascii_case(b"https")
}

/// Computes key forms and keys, always with the same switches.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    switches: Switches,
}

impl Identity {
    pub fn new(switches: Switches) -> Self {
        Identity { switches }
    }

    pub fn switches(&self) -> Switches {
        self.switches
    }

    /// The href of `text` (U1).
    pub fn parse(&self, text: &str, base: Option<&Url>) -> Result<Url, Reason> {
        self.parse_in(text, base, UTF_8)
    }

    fn parse_in(
        &self,
        text: &str,
        base: Option<&Url>,
        encoding: &'static Encoding,
    ) -> Result<Url, Reason> {
        let mut url = parse_in(text, base, encoding)?;
        if self.switches.version >= Version::Second {
            escape_carets(&mut url);
        }
        Ok(url)
    }

    /// The text that identifies the URL (U2). It is itself a URL, and its own key form.
    pub fn key_form(&self, url: &Url) -> String {
        key_form::of(url, self.switches)
    }

    /// The key of a key form (U3).
    pub fn key(&self, key_form: &str) -> Key {
        first_bytes(key_form)
    }

    pub fn key_of(&self, url: &Url) -> Key {
        if key_form::is_own(url, self.switches) {
            return first_bytes(url.as_str());
        }
        first_bytes(&self.key_form(url))
    }

    /// Resolves a link of a document in UTF-8: its href and key, or `None` if it cannot be crawled.
    pub fn resolve(&self, base: &Url, text: &str) -> Option<(Url, Key)> {
        self.resolve_in(base, text, UTF_8)
    }

    /// Like [`resolve`](Self::resolve), for a document in `encoding`.
    pub fn resolve_in(
        &self,
        base: &Url,
        text: &str,
        encoding: &'static Encoding,
    ) -> Option<(Url, Key)> {
        let url = self.parse_in(text, Some(base), encoding).ok()?;
        let key = self.key_of(&url);
        Some((url, key))
    }
}

/// The standard encodes `^` in a path since 2024; the `url` crate does not yet. Version 1 keeps it unencoded, because
/// its keys contain it.
fn escape_carets(url: &mut Url) {
    if memchr::memchr(b'^', url.path().as_bytes()).is_some() {
        let path = url.path().replace('^', "%5E");
        url.set_path(&path);
    }
}

fn first_bytes<const N: usize>(text: &str) -> [u8; N] {
    let digest = Sha256::digest(text.as_bytes());
    std::array::from_fn(|index| digest[index])
}

/// The hash that identifies a host in attempt records.
pub fn host_hash(host: &str) -> u64 {
    u64::from_le_bytes(first_bytes(host))
}

/// `scheme://host[:port]`, to which a robots.txt belongs.
pub fn origin(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{}://{host}:{port}", url.scheme()),
        None => format!("{}://{host}", url.scheme()),
    }
}

/// The part of the URL in a request line, which robots.txt rules are matched against.
pub fn path_and_query(url: &Url) -> &str {
    &url[Position::BeforePath..Position::AfterQuery]
}

/// The registrable domain of a host, by the public suffix list. `None` for addresses, public suffixes and single
/// labels. The host must be in lower case, as in every [`Url`].
pub fn registrable_domain(host: &str) -> Option<&str> {
    if host.starts_with(['.', '[']) || is_address(host) {
        return None;
    }
    psl::domain_str(host)
}

fn is_address(host: &str) -> bool {
    let last = host.strip_suffix('.').unwrap_or(host).rsplit('.').next();
    last.is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit())) || host.contains(':')
}

#[cfg(test)]
mod tests;
