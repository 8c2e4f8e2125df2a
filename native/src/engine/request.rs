//! The head of a request: headers for every site, and headers for some sites only (H1).

use url::Url;

use super::pattern::ByHost;
use crate::error::{Error, Result};
use crate::fetched::is_sendable;
use crate::media_type::is_token;

/// Headers that only the engine sets: framing and routing.
const RESERVED: [&str; 8] = [
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "te",
    "upgrade",
    "expect",
    "proxy-authorization",
];

/// Headers of the operator whose values are not secret. Values of all other headers are not stored, because they may be
/// credentials.
const OPEN: [&str; 10] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "dnt",
    "from",
    "pragma",
    "referer",
    "user-agent",
];

/// Stands for a value that may be a secret.
pub const REDACTED: &[u8] = b"[redacted]";

/// Values are bytes: a validator is sent back unchanged (H4).
pub type Header = (String, Vec<u8>);

/// Request headers by host. A more specific pattern replaces the values of a wider one, and headers of a single request
/// replace both. A header for one host is never sent to another.
#[derive(Debug)]
pub struct Requests {
    defaults: Vec<Header>,
    by_host: ByHost<Vec<Header>>,
    has_secrets: bool,
}

impl Requests {
    pub fn new(user_agent: &str, rules: &[(String, String, String)]) -> Result<Self> {
        let defaults = [
            ("User-Agent", user_agent),
            (
                "Accept",
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            ),
            ("Accept-Encoding", "gzip, deflate, br, zstd"),
            ("Accept-Language", "en;q=0.8,*;q=0.5"),
        ];
        let mut by_host: ByHost<Vec<Header>> = ByHost::default();
        for (pattern, name, value) in rules {
            check(name, value.as_bytes())?;
            let headers = by_host.slot(pattern, Vec::new)?;
            headers.push((name.clone(), value.clone().into_bytes()));
        }
        check("User-Agent", user_agent.as_bytes())?;
        Ok(Requests {
            defaults: defaults
                .map(|(name, value)| (name.into(), value.as_bytes().to_vec()))
                .into(),
            by_host,
            has_secrets: rules.iter().any(|(_, name, _)| !is_open(name)),
        })
    }

    /// The head as it is sent. `in_full`: with the absolute URL, for proxies.
    pub fn head(&self, url: &Url, host: &str, extra: &[Header], in_full: bool) -> Vec<u8> {
        self.write(url, host, extra, in_full, false)
    }

    /// The head as it is archived, without possible secrets of the operator. `None` if it is the same as the sent one.
    pub fn kept_head(
        &self,
        url: &Url,
        host: &str,
        extra: &[Header],
        in_full: bool,
    ) -> Option<Vec<u8>> {
        self.has_secrets
            .then(|| self.write(url, host, extra, in_full, true))
    }

    fn write(
        &self,
        url: &Url,
        host: &str,
        extra: &[Header],
        in_full: bool,
        redacted: bool,
    ) -> Vec<u8> {
        let mut head = Vec::with_capacity(512);
        head.extend_from_slice(b"GET ");
        if in_full {
            head.extend_from_slice(crate::url::origin(url).as_bytes());
        }
        head.extend_from_slice(crate::url::path_and_query(url).as_bytes());
        head.extend_from_slice(b" HTTP/1.1\r\n");
        write_header(&mut head, "Host", authority(url).as_bytes());
        self.write_headers(&mut head, host, extra, redacted);
        head.extend_from_slice(b"Connection: keep-alive\r\n\r\n");
        head
    }

    fn write_headers(&self, head: &mut Vec<u8>, host: &str, extra: &[Header], redacted: bool) {
        if extra.is_empty() && self.by_host.is_empty() {
            for (name, value) in &self.defaults {
                write_header(head, name, value);
            }
            return;
        }
        let mut chosen: Vec<&Header> = extra.iter().collect();
        let mut own = chosen.len()..chosen.len();
        for layer in self.by_host.all(host).chain([&self.defaults]) {
            if std::ptr::eq(layer, &self.defaults) {
                own.end = chosen.len();
            }
            let known = chosen.len();
            let is_new = |header: &&Header| {
                !chosen[..known]
                    .iter()
                    .any(|(name, _)| name.eq_ignore_ascii_case(&header.0))
            };
            let new: Vec<&Header> = layer.iter().filter(is_new).collect();
            chosen.extend(new);
        }
        for (number, (name, value)) in chosen.into_iter().enumerate() {
            let is_secret = redacted && own.contains(&number) && !is_open(name);
            write_header(head, name, if is_secret { REDACTED } else { value });
        }
    }
}

fn is_open(name: &str) -> bool {
    OPEN.iter().any(|open| name.eq_ignore_ascii_case(open))
}

pub fn write_header(head: &mut Vec<u8>, name: &str, value: &[u8]) {
    head.extend_from_slice(name.as_bytes());
    head.extend_from_slice(b": ");
    head.extend_from_slice(value);
    head.extend_from_slice(b"\r\n");
}

/// `host` or `host:port`, for the Host header and CONNECT.
fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Refuses a header that would break its line or the engine's framing.
pub fn check(name: &str, value: &[u8]) -> Result<()> {
    check_name(name)?;
    if !is_sendable(value) {
        let detail = format!("header {name}: its value has a line break or control character");
        return Err(Error::Invalid(detail));
    }
    Ok(())
}

pub fn check_name(name: &str) -> Result<()> {
    if !is_token(name) || RESERVED.iter().any(|own| name.eq_ignore_ascii_case(own)) {
        return Err(Error::Invalid(format!("header {name:?} cannot be set")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(pattern: &str, name: &str, value: &str) -> (String, String, String) {
        (pattern.into(), name.into(), value.into())
    }

    fn head_of(rules: &[(String, String, String)], text: &str, extra: &[Header]) -> String {
        let url = Url::parse(text).unwrap();
        let requests = Requests::new("Hondius/1", rules).unwrap();
        let head = requests.head(&url, url.host_str().unwrap(), extra, false);
        String::from_utf8(head).unwrap()
    }

    #[test]
    fn h1_a_plain_request_says_who_we_are_and_what_we_take() {
        let head = head_of(&[], "http://a.test:8080/x?y", &[]);
        assert!(
            head.starts_with("GET /x?y HTTP/1.1\r\nHost: a.test:8080\r\nUser-Agent: Hondius/1\r\n")
        );
        assert!(head.contains("\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"));
        assert!(head.ends_with("\r\nConnection: keep-alive\r\n\r\n"));
    }

    #[test]
    fn h3_headers_of_one_host_never_reach_another() {
        let rules = [
            rule("a.test", "Cookie", "secret=1"),
            rule("*.b.test", "X-B", "b"),
        ];
        assert!(head_of(&rules, "http://a.test/", &[]).contains("Cookie: secret=1\r\n"));
        let other = head_of(&rules, "http://x.b.test/", &[]);
        assert!(!other.contains("secret") && other.contains("X-B: b\r\n"));
    }

    #[test]
    fn s3_what_is_kept_of_a_request_has_no_secret_of_the_operator() {
        let rules = [
            rule("a.test", "Authorization", "Basic c2VjcmV0"),
            rule("*", "X-Key", "secret"),
            rule("*", "Accept-Language", "nl"),
        ];
        let requests = Requests::new("Hondius/1", &rules).unwrap();
        let url = Url::parse("http://a.test/").unwrap();
        let extra = [("If-None-Match".to_owned(), b"\"1\"".to_vec())];
        let kept = requests.kept_head(&url, "a.test", &extra, false).unwrap();
        let kept = String::from_utf8(kept).unwrap();
        assert!(kept.contains("\r\nAuthorization: [redacted]\r\n"), "{kept}");
        assert!(kept.contains("\r\nX-Key: [redacted]\r\n"), "{kept}");
        for shown in [
            "Accept-Language: nl",
            "If-None-Match: \"1\"",
            "User-Agent: Hondius/1",
        ] {
            assert!(kept.contains(shown), "{kept}");
        }
        let open = Requests::new("Hondius/1", &rules[2..]).unwrap();
        assert_eq!(open.kept_head(&url, "a.test", &[], false), None);
    }

    #[test]
    fn h1_the_more_specific_value_of_a_header_is_the_only_one_sent() {
        let rules = [
            rule("*", "Accept-Language", "nl"),
            rule("a.test", "Accept-Language", "fr"),
            rule("a.test", "Cookie", "a=1"),
            rule("a.test", "Cookie", "b=2"),
        ];
        let head = head_of(&rules, "http://a.test/", &[]);
        assert_eq!(head.matches("Accept-Language").count(), 1);
        assert!(head.contains("Accept-Language: fr\r\n"));
        assert_eq!(head.matches("Cookie").count(), 2);
        let extra = [("accept-language".to_owned(), b"de".to_vec())];
        let head = head_of(&rules, "http://a.test/", &extra);
        assert!(head.contains("accept-language: de\r\n") && !head.contains(": fr"));
    }

    #[test]
    fn headers_that_break_their_line_or_the_framing_are_refused() {
        for (name, value) in [
            ("X", "a\r\nY: b"),
            ("X", "a\nb"),
            ("X", "a\0"),
            ("X Y", "a"),
            ("X:", "a"),
            ("", "a"),
            ("Host", "b.test"),
            ("content-length", "5"),
        ] {
            assert!(check(name, value.as_bytes()).is_err(), "{name:?} {value:?}");
        }
    }
}
