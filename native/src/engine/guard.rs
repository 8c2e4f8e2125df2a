//! Which addresses may be connected to (N2).
//!
//! The rule: an address must be globally routable, and so must every IPv4 address that it carries
//! inside (mapped, compatible, NAT64, 6to4, Teredo, ISATAP). It checks the same address that is
//! passed to `connect`, so a name that resolves differently the second time gains nothing.
//! `Ipv4Addr::is_global` of the standard library is unstable; the tables below follow the IANA
//! special-purpose registries.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::error::{Error, Result};

/// An address block: the first `length` bits of `base`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network<const BITS: u32> {
    base: u128,
    length: u32,
}

impl<const BITS: u32> Network<BITS> {
    fn contains(&self, address: u128) -> bool {
        self.length == 0 || (self.base ^ address) >> (BITS - self.length) == 0
    }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u32) -> Network<32> {
    Network {
        base: u32::from_be_bytes([a, b, c, d]) as u128,
        length,
    }
}

const fn v6(first: [u16; 4], length: u32) -> Network<128> {
    let high = ((first[0] as u128) << 48)
        | ((first[1] as u128) << 32)
        | ((first[2] as u128) << 16)
        | first[3] as u128;
    Network {
        base: high << 64,
        length,
    }
}

const NOT_GLOBAL_V4: [Network<32>; 14] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(224, 0, 0, 0, 3),
];

/// Everything outside 2000::/3 is refused, except the NAT64 prefix, which is judged by the IPv4 address in it.
const NOT_GLOBAL_V6: [Network<128>; 3] = [
    v6([0x2001, 0, 0, 0], 23),
    v6([0x2001, 0xdb8, 0, 0], 32),
    v6([0x3fff, 0, 0, 0], 20),
];
const UNICAST_V6: Network<128> = v6([0x2000, 0, 0, 0], 3);
const TEREDO: Network<128> = v6([0x2001, 0, 0, 0], 32);
const SIX_TO_FOUR: Network<128> = v6([0x2002, 0, 0, 0], 16);
const NAT64: Network<128> = Network {
    base: 0x0064_ff9b << 96,
    length: 96,
};
const NAT64_LOCAL: Network<128> = v6([0x64, 0xff9b, 1, 0], 48);

/// True when connecting to `address` can only reach the public Internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address) as u128;
    !NOT_GLOBAL_V4.iter().any(|network| network.contains(bits))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = u128::from(address);
    let low = Ipv4Addr::from(bits as u32);
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    if NAT64.contains(bits) {
        return is_public_v4(low);
    }
    if SIX_TO_FOUR.contains(bits) {
        return is_public_v4(Ipv4Addr::from((bits >> 80) as u32));
    }
    // Teredo carries a server and, inverted, a client behind a NAT: neither is worth a crawl.
    let refused = TEREDO.contains(bits)
        || NAT64_LOCAL.contains(bits)
        || !UNICAST_V6.contains(bits)
        || NOT_GLOBAL_V6.iter().any(|network| network.contains(bits));
    !refused && (!is_isatap(bits) || is_public_v4(low))
}

/// ISATAP interface identifiers: `0000:5efe` or `0200:5efe` before the IPv4 address.
fn is_isatap(bits: u128) -> bool {
    matches!((bits >> 32) as u32, 0x0000_5efe | 0x0200_5efe)
}

/// What the operator allows in addition to the public Internet.
#[derive(Debug, Default)]
pub struct Guard {
    everything: bool,
    v4: Vec<Network<32>>,
    v6: Vec<Network<128>>,
}

impl Guard {
    /// Rows are addresses, networks in CIDR form, or `*`.
    pub fn new<S: AsRef<str>>(allow_private: &[S]) -> Result<Self> {
        let mut guard = Guard::default();
        for row in allow_private {
            guard.allow(row.as_ref().trim())?;
        }
        Ok(guard)
    }

    fn allow(&mut self, row: &str) -> Result<()> {
        let invalid = || Error::Invalid(format!("allow_private: {row:?} is no address or network"));
        if row == "*" {
            self.everything = true;
            return Ok(());
        }
        let (address, length) = match row.split_once('/') {
            Some((address, length)) => (address, Some(length.parse().map_err(|_| invalid())?)),
            None => (row, None),
        };
        match address.parse().map_err(|_| invalid())? {
            IpAddr::V4(address) => self.v4.push(Network {
                base: u32::from(address) as u128,
                length: within(length, 32).ok_or_else(invalid)?,
            }),
            IpAddr::V6(address) => self.v6.push(Network {
                base: u128::from(address),
                length: within(length, 128).ok_or_else(invalid)?,
            }),
        }
        Ok(())
    }

    pub fn permits(&self, address: IpAddr) -> bool {
        self.everything || is_public(address) || self.lists(address)
    }

    fn lists(&self, address: IpAddr) -> bool {
        match address {
            IpAddr::V4(address) => {
                let bits = u32::from(address) as u128;
                self.v4.iter().any(|network| network.contains(bits))
            }
            IpAddr::V6(address) => {
                let bits = u128::from(address);
                let mapped = address.to_ipv4_mapped().map(IpAddr::V4);
                self.v6.iter().any(|network| network.contains(bits))
                    || mapped.is_some_and(|address| self.lists(address))
            }
        }
    }
}

fn within(length: Option<u32>, bits: u32) -> Option<u32> {
    length.or(Some(bits)).filter(|length| *length <= bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address_of(text: &str) -> Option<IpAddr> {
        let url = url::Url::parse(&format!("http://{text}/")).ok()?;
        match url.host()? {
            url::Host::Ipv4(address) => Some(IpAddr::V4(address)),
            url::Host::Ipv6(address) => Some(IpAddr::V6(address)),
            url::Host::Domain(_) => None,
        }
    }

    /// Literals that are names (`localhost`) or DNS answers are tested in `dns`.
    #[test]
    fn n2_literals_that_lead_inside_are_refused_however_they_are_written() {
        for text in [
            "127.0.0.1",
            "127.1",
            "127.0.0.254",
            "0.0.0.0",
            "0",
            "2130706433",
            "0x7f000001",
            "0x7f.0.0.1",
            "0177.0.0.1",
            "017700000001",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "100.64.0.1",
            "169.254.169.254",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "[::]",
            "[::1]",
            "[fc00::1]",
            "[fd12:3456:789a::1]",
            "[fe80::1]",
            "[fec0::1]",
            "[ff02::1]",
            "[2001:db8::1]",
            "[100::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:169.254.169.254]",
            "[::127.0.0.1]",
            "[64:ff9b::a9fe:a9fe]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b:1::808:808]",
            "[2002:7f00:1::]",
            "[2002:a9fe:a9fe::]",
            "[2001:0:7f00:1::]",
            "[2606:4700::200:5efe:10.0.0.1]",
            "[2606:4700::5efe:127.0.0.1]",
            "\u{ff11}\u{ff12}\u{ff17}.\u{ff10}.\u{ff10}.\u{ff11}",
            "127\u{3002}0\u{3002}0\u{3002}1",
            "%31%32%37.0.0.1",
        ] {
            let address = address_of(text).unwrap_or_else(|| panic!("{text} is no address"));
            assert!(!is_public(address), "{text}");
        }
    }

    #[test]
    fn n2_public_addresses_next_to_private_ones_are_allowed() {
        for text in [
            "8.8.8.8",
            "1.1.1.1",
            "[2606:4700:4700::1111]",
            "172.15.255.255",
            "172.32.0.1",
            "11.0.0.1",
            "100.63.255.255",
            "100.128.0.1",
            "[64:ff9b::808:808]",
            "[2002:808:808::1]",
            "[::ffff:8.8.8.8]",
        ] {
            assert!(is_public(address_of(text).unwrap()), "{text}");
        }
    }

    #[test]
    fn n2_allow_private_opens_exactly_what_it_lists() {
        let guard = Guard::new(&["127.0.0.0/8", "10.1.2.3", "fd00::/8"]).unwrap();
        for (text, expected) in [
            ("127.9.9.9", true),
            ("::ffff:127.0.0.1", true),
            ("10.1.2.3", true),
            ("10.1.2.4", false),
            ("fd12::1", true),
            ("fc12::1", false),
            ("8.8.8.8", true),
        ] {
            assert_eq!(guard.permits(text.parse().unwrap()), expected, "{text}");
        }
        assert!(Guard::new(&["*"]).unwrap().permits("::1".parse().unwrap()));
    }

    #[test]
    fn networks_that_cannot_be_are_refused() {
        for row in ["", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "host"] {
            assert!(Guard::new(&[row]).is_err(), "{row:?}");
        }
    }
}
