//! Addresses that the operator wrote himself (N3): `("*.test", "127.0.0.1:8080")`.

use std::net::{IpAddr, SocketAddr};

use super::pattern::ByHost;
use crate::error::{Error, Result};

/// Where hosts are found without DNS. Port 0 stands for the URL's own.
#[derive(Debug, Default)]
pub struct Overrides(ByHost<SocketAddr>);

impl Overrides {
    /// A later row for the same pattern wins.
    pub fn new<S: AsRef<str>>(rows: &[(S, S)]) -> Result<Self> {
        let mut hosts = ByHost::default();
        for (pattern, value) in rows {
            let address = parse_address(value.as_ref())?;
            *hosts.slot(pattern.as_ref(), || address)? = address;
        }
        Ok(Overrides(hosts))
    }

    pub fn get(&self, host: &str) -> Option<SocketAddr> {
        self.0.best(host).copied()
    }

    /// An override is permission for exactly the address and port it names (N2).
    pub fn permits(&self, host: &str, address: SocketAddr, port_of_url: u16) -> bool {
        self.get(host).is_some_and(|own| {
            let port = if own.port() == 0 {
                port_of_url
            } else {
                own.port()
            };
            own.ip() == address.ip() && port == address.port()
        })
    }
}

/// `ip`, `ip:port`, `[ip]` or `[ip]:port`; port 0 where there is none.
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
        let rows = [("a.test", "127.0.0.1:8080"), ("b.test", "127.0.0.1")];
        let overrides = Overrides::new(&rows).unwrap();
        let permits =
            |host, address: &str, port| overrides.permits(host, address.parse().unwrap(), port);
        assert!(permits("a.test", "127.0.0.1:8080", 80));
        assert!(!permits("a.test", "127.0.0.1:80", 80));
        assert!(!permits("a.test", "127.0.0.2:8080", 80));
        assert!(permits("b.test", "127.0.0.1:80", 80));
        assert!(!permits("b.test", "127.0.0.1:22", 80));
        assert!(!permits("c.test", "127.0.0.1:8080", 80));
    }
}
