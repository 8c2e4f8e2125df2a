//! The key form of an href (U2): RFC 3986 §6, then the lossy steps that are switched on.
//!
//! The result of each step parses to itself, and no step creates work for an earlier one. So the key form of a key
//! form is the same key form.

use std::borrow::Cow;

use memchr::memchr3;
use url::Url;

use super::{Switches, Version, parameters, percent, sessions};

/// True if the href is its own key form, and nothing must be written.
pub(super) fn is_own(url: &Url, switches: Switches) -> bool {
    url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && memchr3(b'%', b';', b'(', url.path().as_bytes()).is_none()
        && !url.host_str().is_some_and(|host| host.ends_with('.'))
        && !(switches.drop_index || switches.drop_trailing_slash || switches.drop_www)
}

pub(super) fn of(url: &Url, switches: Switches) -> String {
    if is_own(url, switches) {
        return url.as_str().to_owned();
    }
    let mut out = String::with_capacity(url.as_str().len());
    push_origin(&mut out, url, switches);
    out.push_str(shorten(&path(url.path(), switches), switches));
    if let Some(text) = url.query() {
        push_query(&mut out, text, switches);
    }
    out
}

fn push_origin(out: &mut String, url: &Url, switches: Switches) {
    out.push_str(url.scheme());
    out.push_str("://");
    let mut host = url.host_str().unwrap_or_default();
    if switches.version >= Version::Second {
        host = without_final_dots(host);
    }
    if switches.drop_www {
        host = without_www(host);
    }
    out.push_str(host);
    if let Some(port) = url.port() {
        out.push(':');
        out.push_str(&port.to_string());
    }
}

/// `example.com.` is `example.com`. A name that would become an address without its dots (`a.1..`) is left alone.
fn without_final_dots(host: &str) -> &str {
    let shorter = host.trim_end_matches('.');
    let last = shorter.rsplit('.').next().unwrap_or_default();
    match last.as_bytes().first() {
        None | Some(b'0'..=b'9') => host,
        Some(_) => shorter,
    }
}

/// Every leading `www.`, as long as a name of two labels remains (`www.com` is a name).
fn without_www(mut host: &str) -> &str {
    while let Some(rest) = host.strip_prefix("www.") {
        match rest.split_once('.') {
            Some((first, others)) if !first.is_empty() && !others.is_empty() => host = rest,
            _ => break,
        }
    }
    host
}

fn path(text: &str, switches: Switches) -> Cow<'_, str> {
    let path = percent::normalise(text);
    if switches.drop_session && path.contains([';', '(', '%']) {
        return Cow::Owned(without_sessions(&path, switches.version));
    }
    path
}

/// Removes `;jsessionid=…` and similar ids from any segment, and `(S(…))` if it is a segment that is not the last.
fn without_sessions(path: &str, version: Version) -> String {
    let mut out = String::with_capacity(path.len());
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let start = out.len();
        push_segment(&mut out, segment, version);
        if segments.peek().is_none() {
            break;
        }
        if version >= Version::Second && sessions::is_session_segment(&out[start..]) {
            out.truncate(start);
        } else {
            out.push('/');
        }
    }
    out
}

/// Leaves a segment unchanged that would become a dot segment: it would vanish with its parent when the key form is
/// parsed.
fn push_segment(out: &mut String, segment: &str, version: Version) {
    let start = out.len();
    let mut parts = segment.split(';');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts.filter(|part| !parameters::is_session(part, version)) {
        out.push(';');
        out.push_str(part);
    }
    if matches!(&out[start..], "." | "..") {
        out.truncate(start);
        out.push_str(segment);
    }
}

/// Removes index files and trailing slashes until there are none: each may expose the other.
fn shorten(mut path: &str, switches: Switches) -> &str {
    loop {
        let before = path.len();
        if switches.drop_index {
            path = without_index(path);
        }
        if switches.drop_trailing_slash {
            path = without_trailing_slashes(path);
        }
        if path.len() == before {
            return path;
        }
    }
}

fn without_index(path: &str) -> &str {
    let start = path.rfind('/').map_or(0, |slash| slash + 1);
    let is_index = path[start..]
        .rsplit_once('.')
        .is_some_and(|(name, extension)| {
            (name.eq_ignore_ascii_case("index") || name.eq_ignore_ascii_case("default"))
                && INDEX_EXTENSIONS
                    .iter()
                    .any(|known| extension.eq_ignore_ascii_case(known))
        });
    if is_index { &path[..start] } else { path }
}

const INDEX_EXTENSIONS: [&str; 9] = [
    "html", "htm", "php", "asp", "aspx", "jsp", "shtml", "xhtml", "cgi",
];

fn without_trailing_slashes(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => &path[..path.len().min(1)],
        shorter => shorter,
    }
}

/// Sorts parameters by name; those of one name keep their order, which may matter. An empty parameter (`a&&b`) is
/// dropped when parameters are sorted.
fn push_query(out: &mut String, text: &str, switches: Switches) {
    let mut query = percent::normalise(text);
    let mut has_pair = false;
    if switches.version >= Version::Second {
        query = percent::escape_brackets(query);
        has_pair = switches.drop_session && sessions::has_cold_fusion_pair(&query);
    }
    let mut kept: Vec<&str> = query
        .split('&')
        .filter(|parameter| keeps(parameter, switches))
        .filter(|parameter| !(has_pair && sessions::is_of_cold_fusion(parameter)))
        .collect();
    if switches.sort_query {
        kept.sort_by(|a, b| parameters::name_of(a).cmp(parameters::name_of(b)));
    }
    if kept.iter().all(|parameter| parameter.is_empty()) && kept.len() < 2 {
        return;
    }
    for (index, parameter) in kept.iter().enumerate() {
        out.push(if index == 0 { '?' } else { '&' });
        out.push_str(parameter);
    }
}

fn keeps(parameter: &str, switches: Switches) -> bool {
    !(switches.sort_query && parameter.is_empty()
        || switches.drop_tracking && parameters::is_tracking(parameter)
        || switches.drop_session && parameters::is_session(parameter, switches.version))
}
