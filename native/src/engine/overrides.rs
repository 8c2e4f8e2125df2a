//! Addresses that the operator set (N3): `("*.test", "127.0.0.1:8080")`, or several of them, separated by
//! commas.

use std::net::{IpAddr, SocketAddr};

use super::pattern::ByHost;
use crate::error::{Error, Result};

/// Addresses of hosts without DNS. Port 0 means the URL's own port.
#[derive(Debug, Default)]
pub struct Overrides(ByHost<Vec<SocketAddr>>);

impl Overrides {
    /// A later row for the same pattern wins.
    pub fn new<S: AsRef<str>>(rows: &[(S, S)]) -> Result<Self> {
        let mut hosts = ByHost::default();
        for (pattern, value) in rows {
            let addresses: Result<_> = value.as_ref().split(',').map(parse_address).collect();
            *hosts.slot(pattern.as_ref(), Vec::new)? = addresses?;
        }
        Ok(Overrides(hosts))
    }

    pub fn get(&self, host: &str) -> Option<&[SocketAddr]> {
        self.0.best(host).map(Vec::as_slice)
    }

    /// An override is permission for exactly the addresses and ports it names (N2).
    pub fn permits(&self, host: &str, address: SocketAddr, port_of_url: u16) -> bool {
        self.get(host).unwrap_or_default().iter().any(|own| {
            let port = match own.port() {
                0 => port_of_url,
                port => port,
            };
            own.ip() == address.ip() && port == address.port()
        })
    }
}

/// `ip`, `ip:port`, `[ip]` or `[ip]:port`; port 0 if there is none.
pub fn parse_address(text: &str) -> Result<SocketAddr> {
    let text = text.trim();
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    if let Ok(ip) = bare.unwrap_or(text).parse::<IpAddr>() {
        return Ok(SocketAddr::new(ip, 0));
    }
    text.parse()
        .map_err(|_| Error::Invalid(format!("{text:?} is no address: write ip or ip:port")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n3_addresses_are_read_with_and_without_a_port() {
        for (text, expected) in [
            ("127.0.0.1", "127.0.0.1:0"),
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("::1", "[::1]:0"),
            ("[::1]", "[::1]:0"),
            ("[::1]:8080", "[::1]:8080"),
        ] {
            assert_eq!(parse_address(text).unwrap(), expected.parse().unwrap());
        }
        assert!(parse_address("localhost:80").is_err());
    }

    #[test]
    fn n2_an_override_permits_its_own_address_and_port_and_no_other() {
        let rows = [
            ("a.test", "127.0.0.1:8080"),
            ("b.test", "127.0.0.1"),
            ("d.test", "127.0.0.3:80,[::1]:81"),
        ];
        let overrides = Overrides::new(&rows).unwrap();
        let permits =
            |host, address: &str, port| overrides.permits(host, address.parse().unwrap(), port);
        assert!(permits("a.test", "127.0.0.1:8080", 80));
        assert!(!permits("a.test", "127.0.0.1:80", 80));
        assert!(!permits("a.test", "127.0.0.2:8080", 80));
        assert!(permits("b.test", "127.0.0.1:80", 80));
        assert!(!permits("b.test", "127.0.0.1:22", 80));
        assert!(!permits("c.test", "127.0.0.1:8080", 80));
        assert!(permits("d.test", "127.0.0.3:80", 80));
        assert!(permits("d.test", "[::1]:81", 80));
        assert!(!permits("d.test", "[::1]:80", 80));
    }

    #[test]
    fn n3_an_override_may_name_several_addresses() {
        let overrides = Overrides::new(&[("a.test", "127.0.0.2, [::1]:8080")]).unwrap();
        let expected: Vec<SocketAddr> = ["127.0.0.2:0", "[::1]:8080"]
            .map(|text| text.parse().unwrap())
            .into();
        assert_eq!(overrides.get("a.test"), Some(expected.as_slice()));
        assert!(Overrides::new(&[("a.test", "127.0.0.2,")]).is_err());
    }
}
