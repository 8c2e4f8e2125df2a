//! Cutting an href without parsing it again.

/// Splits an absolute URL after `scheme://host:port`.
pub fn split_origin(href: &str) -> Option<(&str, &str)> {
    let colon = href.find(':')?;
    let rest = href[colon..].strip_prefix("://")?;
    let length = memchr::memchr3(b'/', b'?', b'#', rest.as_bytes()).unwrap_or(rest.len());
    Some(href.split_at(colon + 3 + length))
}

/// The host name of an origin; an IPv6 address keeps its brackets.
pub fn host_of_origin(origin: &str) -> &str {
    let scheme = origin.find(':').map_or(0, |colon| colon + 3);
    let authority = origin.get(scheme..).unwrap_or(origin);
    match authority.rsplit_once(':') {
        Some((host, _)) if !authority.ends_with(']') => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_href_is_split_where_its_origin_ends() {
        for (href, origin, path) in [
            ("http://a.test/b?c", "http://a.test", "/b?c"),
            ("https://a.test:8443/", "https://a.test:8443", "/"),
            ("http://[::1]:80/x", "http://[::1]:80", "/x"),
            ("http://a.test?q", "http://a.test", "?q"),
            ("http://a.test", "http://a.test", ""),
        ] {
            assert_eq!(split_origin(href), Some((origin, path)));
        }
        assert_eq!(split_origin("mailto:a@b.test"), None);
    }
}
