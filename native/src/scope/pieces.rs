//! The parts of a URL that the policy looks at.

use memchr::memchr;

use crate::url::{host_of_origin, split_origin};

/// The pieces of a serialised URL. It was parsed before, so it is only split here, because this runs for every new
/// link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pieces<'a> {
    pub href: &'a str,
    pub origin: &'a str,
    /// Without the final dot of a fully qualified name, which names the same host.
    pub host: &'a str,
    pub path: &'a str,
    pub query: Option<&'a str>,
}

impl<'a> Pieces<'a> {
    /// `None` if it is not an absolute URL.
    pub fn of(href: &'a str) -> Option<Pieces<'a>> {
        let (origin, rest) = split_origin(href)?;
        let rest = &rest[..memchr(b'#', rest.as_bytes()).unwrap_or(rest.len())];
        let (path, query) = match memchr(b'?', rest.as_bytes()) {
            Some(mark) => (&rest[..mark], Some(&rest[mark + 1..])),
            None => (rest, None),
        };
        let host = host_of_origin(origin);
        Some(Pieces {
            href,
            origin,
            host: host.strip_suffix('.').unwrap_or(host),
            path,
            query,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::{Position, Url};

    use super::*;

    fn assert_as_parsed(url: &Url) {
        let pieces = Pieces::of(url.as_str()).unwrap();
        let host = url.host_str().unwrap_or_default();
        assert_eq!(pieces.host, host.strip_suffix('.').unwrap_or(host), "{url}");
        assert_eq!(pieces.origin, &url[..Position::BeforePath], "{url}");
        assert_eq!(
            (pieces.path, pieces.query),
            (url.path(), url.query()),
            "{url}"
        );
    }

    #[test]
    fn the_pieces_are_those_that_a_parser_finds() {
        for text in [
            "http://a.test",
            "https://a.test.:8443/b/?c=d&e#f",
            "http://[::1]/",
            "http://[::1]:81/a?b?c#d?e",
            "http://127.0.0.1:80/#",
            "https://bücher.example/ü?",
        ] {
            assert_as_parsed(&crate::url::parse(text, None).unwrap());
        }
        assert_eq!(Pieces::of("mailto:someone"), None);
    }

    proptest! {
        #[test]
        fn whatever_it_is(host in "[a-zA-Z0-9.-]{1,12}", port in proptest::option::of(1u16..), rest in "[/?#][ -~]{0,40}") {
            let port = port.map_or(String::new(), |port| format!(":{port}"));
            if let Ok(url) = crate::url::parse(&format!("http://{host}{port}{rest}"), None) {
                assert_as_parsed(&url);
            }
        }
    }
}
