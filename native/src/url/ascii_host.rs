//! ASCII names with labels that look like Punycode but are not: `xn--`, `a.xn--pokxncvks`.
//!
//! The URL standard accepts an all-ASCII name as it is, in lower case; browsers request it and DNS decides whether it
//! exists. The `url` crate still applies IDNA to every `xn--` label and refuses such a name. So it gets a name of the
//! same length with another prefix, and the real name is put in its place afterwards. The result is a [`Url`] like
//! any other, and links are resolved against it.
//!
//! This code runs only if the crate has refused a host, so other URLs pay nothing for it. Not taken: a URL type of
//! our own, which every module would have to know for names that nobody can register.

use std::ops::Range;

use serde_json::Value;
use serde_json::value::Serializer;
use url::{ParseError, Position, Url};

use super::percent;

const PUNYCODE: &str = "xn--";
/// A prefix of the same length that IDNA does not know.
const STAND_IN: &str = "xx--";

/// Parses `text`, whose host `read` has refused, if the host is an ASCII name.
pub(super) fn parse(
    text: &str,
    read: impl Fn(&str) -> Result<Url, ParseError>,
) -> Result<Url, ParseError> {
    let text = without_ignored(text);
    let place = host_of(&text);
    let host = name_in(&text[place.clone()]).ok_or(ParseError::IdnaError)?;
    let stand_in = stand_in_of(&host).ok_or(ParseError::IdnaError)?;
    let url = read(&[&text[..place.start], &stand_in, &text[place.end..]].concat())?;
    if url.host_str() == Some(&stand_in) {
        renamed(&url, &host).ok_or(ParseError::IdnaError)
    } else {
        Err(ParseError::IdnaError)
    }
}

/// Strips spaces and control characters around a URL, and removes tabs and line ends everywhere.
fn without_ignored(text: &str) -> String {
    let mut text = text.trim_matches(|c: char| c <= ' ').to_owned();
    text.retain(|c| !matches!(c, '\t' | '\n' | '\r'));
    text
}

/// The position of the host in a text that has one: after scheme, slashes and user info, before the port.
fn host_of(text: &str) -> Range<usize> {
    let authority = text.find(['/', '\\', '?', '#', ':']).unwrap_or(0);
    let rest = text[authority..].trim_start_matches([':', '/', '\\']);
    let from = text.len() - rest.len();
    let to = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let user_info = rest[..to].rfind('@').map_or(0, |at| at + 1);
    let host = &rest[user_info..to];
    let length = host.find(':').unwrap_or(host.len());
    from + user_info..from + user_info + length
}

/// The name in lower case; `None` if it is not ASCII: IDNA has refused it.
fn name_in(host: &str) -> Option<String> {
    let name = String::from_utf8(percent::decode(host)).ok()?;
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && !b"#%/:<>?@[\\]^|".contains(&byte);
    name.bytes()
        .all(is_allowed)
        .then(|| name.to_ascii_lowercase())
}

fn stand_in_of(name: &str) -> Option<String> {
    let labels = name.split('.').map(|label| {
        label
            .strip_prefix(PUNYCODE)
            .map_or_else(|| label.to_owned(), |rest| format!("{STAND_IN}{rest}"))
    });
    let stand_in = labels.collect::<Vec<_>>().join(".");
    (stand_in != name).then_some(stand_in)
}

/// The same URL with another host name of the same length. The serialised form of the crate begins with the text of the
/// URL; the rest are positions, which do not change.
fn renamed(url: &Url, host: &str) -> Option<Url> {
    let before = url[..Position::BeforeHost].len();
    let mut parts = url.serialize_internal(Serializer).ok()?;
    let Value::String(text) = parts.get_mut(0)? else {
        return None;
    };
    text.replace_range(before..before + host.len(), host);
    Url::deserialize_internal(parts).ok()
}
