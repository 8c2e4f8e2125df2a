//! The key by which an index sorts URLs: `com,example)/path?a=1`.
//!
//! It must equal the key that replay tools compute (the canonical form of the Wayback Machine, as in pywb), with every
//! oddity: if one octet differs, the page is not found. It is unrelated to the identity of URLs in a crawl (`url`): one
//! URL there may have several keys here, and the other way round.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::url::{host_of_origin, split_origin};

/// Session ids that replay tools ignore: those of ASP.NET in a path before `.aspx`, all others in a query. They match
/// anywhere, not only at the start of a parameter, and each pattern is applied once.
static SESSIONS_IN_PATH: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$",
        r"^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$",
    ])
});
static SESSIONS_IN_QUERY: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r"(?i)^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$",
        r"(?i)^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$",
        r"(?i)^(.*)sid=[0-9a-z]{32}(?:&(.*))?$",
        r"(?i)^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$",
        r"(?i)^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$",
    ])
});

fn compile(patterns: &[&str]) -> Vec<Regex> {
    patterns
        .iter()
        .filter_map(|pattern| Regex::new(pattern).ok())
        .collect()
}

/// The key of an href.
pub fn surt(href: &str) -> String {
    let Some((origin, rest)) = split_origin(href) else {
        return href.to_ascii_lowercase();
    };
    let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let host = host(host_of_origin(origin));
    let mut key = match host.is_empty() {
        true => format!("{}:", origin.split(':').next().unwrap_or_default()),
        false => reversed(&host) + &port(origin) + ")",
    };
    key.push_str(&self::path(path, !host.is_empty()));
    let query = self::query(query);
    if !query.is_empty() {
        key.push('?');
        key.push_str(&query);
    }
    key
}

/// Removes brackets and dots at both ends, and replaces each pair of dots by one.
fn host(host: &str) -> String {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let name = bare
        .replace("..", ".")
        .trim_matches('.')
        .to_ascii_lowercase();
    let address = (name != bare)
        .then(|| crate::url::parse_host(&name).ok())
        .flatten()
        .filter(|host| host.parse::<std::net::Ipv4Addr>().is_ok());
    address.unwrap_or(name)
}

/// The labels from right to left, without a leading `www.`, `www2.` and so on.
fn reversed(host: &str) -> String {
    let host = match host.split_once('.') {
        Some((first, rest)) if is_www(first) => rest,
        _ => host,
    };
    host.rsplit('.').collect::<Vec<_>>().join(",")
}

fn is_www(label: &str) -> bool {
    label
        .strip_prefix("www")
        .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `:8080`; empty for the default port and for port 0.
fn port(origin: &str) -> String {
    let number = origin.rsplit_once(':').map_or("", |(_, port)| port);
    match (number.parse::<u16>(), origin.starts_with("https:")) {
        (Err(_) | Ok(0), _) | (Ok(80), false) | (Ok(443), true) => String::new(),
        (Ok(port), _) => format!(":{port}"),
    }
}

fn path(path: &str, has_host: bool) -> String {
    let mut octets = unescape(path);
    if has_host {
        octets = merge_segments(&octets);
    }
    let mut path = escape(&octets).to_ascii_lowercase();
    if path.contains('(') {
        for session in SESSIONS_IN_PATH.iter() {
            path = remove_session(session, path);
        }
    }
    if path.len() > 1 && path.ends_with('/') {
        path.pop();
    }
    path
}

/// Resolves dot segments and drops empty segments, except the last, which is the trailing slash.
fn merge_segments(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|byte| *byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if !kept.is_empty() => {
                kept.pop();
            }
            _ => kept.push(segment),
        }
    }
    let mut merged = vec![b'/'];
    let last = kept.pop().unwrap_or_default();
    for segment in kept.into_iter().filter(|segment| !segment.is_empty()) {
        merged.extend_from_slice(segment);
        merged.push(b'/');
    }
    merged.extend_from_slice(last);
    merged
}

fn query(query: &str) -> String {
    if query.is_empty() {
        return String::new();
    }
    let mut query = escape(&unescape(query));
    for session in SESSIONS_IN_QUERY.iter() {
        query = remove_session(session, query);
    }
    query.make_ascii_lowercase();
    let mut parameters: Vec<&str> = query.split('&').collect();
    parameters.sort_by_key(|parameter| match parameter.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (*parameter, None),
    });
    parameters.join("&")
}

/// Removes a session id. An ampersand before it stays.
fn remove_session(session: &Regex, text: String) -> String {
    let part =
        |found: &Captures<'_>, group| found.get(group).map_or("", |part| part.as_str()).to_owned();
    match session.captures(&text) {
        Some(found) => part(&found, 1) + &part(&found, 2),
        None => text,
    }
}

/// Decodes nested escapes in one pass: if a decoded octet completes another escape, that is decoded, too.
fn unescape(text: &str) -> Vec<u8> {
    let mut octets = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        octets.push(byte);
        while let [.., b'%', high, low] = octets[..]
            && let Some(octet) = octet(high, low)
        {
            octets.truncate(octets.len() - 3);
            octets.push(octet);
        }
    }
    octets
}

fn octet(high: u8, low: u8) -> Option<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16);
    u8::try_from(value(high)? * 16 + value(low)?).ok()
}

/// Escapes everything except printable ASCII, and also `%` and `#`.
fn escape(octets: &[u8]) -> String {
    let mut escaped = String::with_capacity(octets.len());
    for byte in octets {
        match byte {
            b'#' | b'%' | ..=0x20 | 0x7f.. => crate::url::percent::push_escape(&mut escaped, *byte),
            _ => escaped.push(char::from(*byte)),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::surt;

    #[test]
    fn s3_a_key_turns_the_host_round_and_drops_what_makes_no_difference() {
        for (href, expected) in [
            ("http://example.com/", "com,example)/"),
            ("https://www.example.com:443/Goo/", "com,example)/goo"),
            ("http://www2.example.co.uk:8080/a", "uk,co,example:8080)/a"),
            ("http://www.com/", "com)/"),
            ("http://a.test/?", "test,a)/"),
            (
                "http://a.test/?b=2&a=2&c&a=1&c=",
                "test,a)/?a=1&a=2&b=2&c&c=",
            ),
            ("http://a.test/?a=", "test,a)/?a="),
            ("http://a.test/%2541%20b%C3%A9", "test,a)/a%20b%c3%a9"),
            ("http://127.0.0.1:8000/x", "1,0,0,127:8000)/x"),
            ("http://[::1]/x", "::1)/x"),
            ("http://a.test./", "test,a)/"),
        ] {
            assert_eq!(surt(href), expected, "{href}");
        }
    }

    #[test]
    fn s3_a_key_has_the_oddities_of_replay_tools() {
        let id = "0123456789abcdef0123456789ABCDEF";
        let aspx = "(S(lit3py55t21z5v55vlm25s55))";
        for (href, expected) in [
            ("http://a.test/a//b/".to_owned(), "test,a)/a/b".to_owned()),
            ("http://a.test/kk//".to_owned(), "test,a)/kk".to_owned()),
            (
                "http://a.test/a/%2e%2e/%2E/b".to_owned(),
                "test,a)/b".to_owned(),
            ),
            (
                format!("http://a.test/x;jsessionid={id}"),
                format!("test,a)/x;jsessionid={}", id.to_lowercase()),
            ),
            (
                format!("http://a.test/{aspx}/x.aspx"),
                "test,a)/x.aspx".to_owned(),
            ),
            (
                format!("http://a.test/{aspx}/x"),
                "test,a)/(s(lit3py55t21z5v55vlm25s55))/x".to_owned(),
            ),
            (
                format!("http://a.test/?a=1&sid={id}"),
                "test,a)/?&a=1".to_owned(),
            ),
            (
                format!("http://a.test/?sid={id}&z=1"),
                "test,a)/?z=1".to_owned(),
            ),
            (
                "http://a.test/?CFID=1&CFTOKEN=2&b".to_owned(),
                "test,a)/?b".to_owned(),
            ),
            (
                "http://a.test/?CFTOKEN=2&CFID=1".to_owned(),
                "test,a)/?cfid=1&cftoken=2".to_owned(),
            ),
        ] {
            assert_eq!(surt(&href), expected, "{href}");
        }
    }

    #[test]
    fn escapes_nested_without_end_take_linear_time() {
        let href = format!("http://a.test/%{}41", "25".repeat(100_000));
        assert_eq!(surt(&href), "test,a)/a");
    }
}
