//! The key by which an index sorts URLs: `com,example)/path?a=1`.
//!
//! The host is turned round so that a domain's pages stand together; case, `www.`, default ports,
//! a last slash, the order of parameters and session ids make no difference, as replay tools
//! expect. It orders and finds; it says nothing about identity (that is `url`).

use std::sync::LazyLock;

use regex::Regex;

static SESSION_IN_PATH: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r";jsessionid=[0-9a-z]{32}$").ok());
static SESSION_IN_QUERY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24})$")
        .ok()
});

/// A URL deeper in escapes than this is left at what it is by then.
const MOST_UNESCAPINGS: usize = 8;

pub fn surt(href: &str) -> String {
    let Ok(url) = crate::url::parse_base(href) else {
        return href.to_ascii_lowercase();
    };
    let mut key = reversed(url.host_str().unwrap_or_default());
    if let Some(port) = url.port() {
        key.push_str(&format!(":{port}"));
    }
    key.push(')');
    key.push_str(&path(url.path()));
    if let Some(query) = url.query().and_then(query) {
        key.push('?');
        key.push_str(&query);
    }
    key
}

fn reversed(host: &str) -> String {
    let host = host.to_ascii_lowercase();
    let parts: Vec<&str> = without_www(&host).split('.').rev().collect();
    parts.join(",")
}

/// `www.`, `www2.`: the same site to a reader of archives.
fn without_www(host: &str) -> &str {
    match host.split_once('.') {
        Some((first, rest)) if is_www(first) && rest.contains('.') => rest,
        _ => host,
    }
}

fn is_www(label: &str) -> bool {
    label
        .strip_prefix("www")
        .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn path(path: &str) -> String {
    let path = normal(path);
    let path = match SESSION_IN_PATH.as_ref() {
        Some(session) => session.replace(&path, "").into_owned(),
        None => path,
    };
    match path.strip_suffix('/') {
        Some("") | None => path,
        Some(shorter) => shorter.to_owned(),
    }
}

fn query(query: &str) -> Option<String> {
    let query = normal(query);
    let mut parameters: Vec<&str> = query
        .split('&')
        .filter(|parameter| !is_session(parameter))
        .collect();
    if query.is_empty() || parameters.is_empty() {
        return None;
    }
    parameters
        .sort_unstable_by_key(|parameter| parameter.split_once('=').unwrap_or((parameter, "")));
    Some(parameters.join("&"))
}

fn is_session(parameter: &str) -> bool {
    SESSION_IN_QUERY
        .as_ref()
        .is_some_and(|session| session.is_match(parameter))
}

/// Escapes undone however often they were made, then made once, in lower case.
fn normal(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..MOST_UNESCAPINGS {
        let once_less = unescaped(&bytes);
        if once_less == bytes {
            break;
        }
        bytes = once_less;
    }
    let mut escaped = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'#' | b'%' | ..=0x20 | 0x7f.. => escaped.push_str(&format!("%{byte:02x}")),
            _ => escaped.push(char::from(byte.to_ascii_lowercase())),
        }
    }
    escaped
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%')
            .then(|| after.get(..2).and_then(octet))
            .flatten();
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() {
            &after[2..]
        } else {
            after
        };
    }
    bytes
}

fn octet(digits: &[u8]) -> Option<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16);
    Some((value(digits[0])? * 16 + value(digits[1])?) as u8)
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
            ("http://www.com/", "com,www)/"),
            ("http://a.test/?", "test,a)/"),
            ("http://a.test/?b=2&a=2&c&a=1", "test,a)/?a=1&a=2&b=2&c"),
            ("http://a.test/?a=", "test,a)/?a="),
            ("http://a.test/%2541%20b%C3%A9", "test,a)/a%20b%c3%a9"),
            ("http://127.0.0.1:8000/x", "1,0,0,127:8000)/x"),
            ("http://[::1]/x", "[::1])/x"),
            (
                "http://a.test/x;jsessionid=0123456789abcdef0123456789ABCDEF?sid=0123456789abcdef0123456789abcdef&z=1",
                "test,a)/x?z=1",
            ),
        ] {
            assert_eq!(surt(href), expected, "{href}");
        }
    }
}
