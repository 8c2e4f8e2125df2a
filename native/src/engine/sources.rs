//! Local addresses that connections come from, by scheme and host pattern (N3).
//!
//! A pattern has one address of each family, always the same, so that a site can recognise us by our address. Sources
//! must never be used to evade a block.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};

use tokio::net::TcpSocket;

use super::pattern::ByOrigin;
use crate::error::{Error, Result};

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    v4: Option<IpAddr>,
    v6: Option<IpAddr>,
}

impl Source {
    /// `192.0.2.7`, or `192.0.2.7,2001:db8::7`.
    fn parse(text: &str) -> Result<Self> {
        let mut source = Source::default();
        for part in text.split(',') {
            let address: IpAddr = part.trim().parse().map_err(|_| {
                Error::Invalid(format!(
                    "{part:?} is no source address: write one like 192.0.2.7"
                ))
            })?;
            let slot = if address.is_ipv4() {
                &mut source.v4
            } else {
                &mut source.v6
            };
            if slot.replace(address).is_some() {
                return Err(Error::Invalid(format!(
                    "{text:?} names two source addresses of one kind: give one, and for IPv6 one more"
                )));
            }
        }
        Ok(source)
    }

    /// Checks that the addresses belong to this machine, so that a wrong one is found before the first request.
    fn check(&self) -> Result<()> {
        for address in [self.v4, self.v6].into_iter().flatten() {
            UdpSocket::bind((address, 0)).map_err(|error| {
                Error::Invalid(format!(
                    "{address} is no address of this machine ({error}): choose one that `ip address` lists"
                ))
            })?;
        }
        Ok(())
    }

    /// A socket for a connection to `address`, bound to the source address of its family. If there is none for that
    /// family, this fails: any other address would be one that the operator did not announce.
    pub fn socket(&self, address: SocketAddr) -> io::Result<TcpSocket> {
        let (source, socket) = if address.is_ipv4() {
            (self.v4, TcpSocket::new_v4()?)
        } else {
            (self.v6, TcpSocket::new_v6()?)
        };
        let family = if address.is_ipv4() { "IPv4" } else { "IPv6" };
        let missing = || io::Error::other(format!("no source address for {family} is set"));
        let source = source.ok_or_else(missing)?;
        choose_port_late(&socket);
        socket.bind(SocketAddr::new(source, 0))?;
        Ok(socket)
    }
}

/// Lets the system choose the port when the socket is connected. A port that is chosen at bind time is taken for every
/// destination, and a machine has only 28,000. On systems without this feature, the port is chosen at once.
#[cfg(target_os = "linux")]
fn choose_port_late(socket: &TcpSocket) {
    use std::os::fd::AsRawFd;
    let on: libc::c_int = 1;
    // SAFETY: the descriptor is open, and the value is an int of the size that is named.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        );
    }
}

#[cfg(not(target_os = "linux"))]
fn choose_port_late(_: &TcpSocket) {}

#[derive(Debug, Default)]
pub struct Sources(ByOrigin<Source>);

impl Sources {
    pub fn new<S: AsRef<str>>(rows: &[(S, S)]) -> Result<Self> {
        let mut origins = ByOrigin::default();
        for (pattern, text) in rows {
            let source = Source::parse(text.as_ref())?;
            source.check()?;
            origins.set(pattern.as_ref(), source)?;
        }
        Ok(Sources(origins))
    }

    pub fn get(&self, secure: bool, host: &str) -> Option<&Source> {
        self.0.get(secure, host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n3_a_pattern_has_one_source_of_each_family() {
        let source = Source::parse("127.0.0.9, ::1").unwrap();
        assert_eq!(source.v4, Some([127, 0, 0, 9].into()));
        assert_eq!(source.v6, Some("::1".parse().unwrap()));
        for text in ["", "localhost", "127.0.0.1:80", "127.0.0.1,127.0.0.2"] {
            assert!(Source::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn n3_an_address_of_another_machine_is_refused_at_once() {
        let error = Sources::new(&[("*", "192.0.2.7")]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("192.0.2.7 is no address of this machine"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn n3_the_other_family_is_not_used_instead() {
        let source = Source::parse("127.0.0.1").unwrap();
        let error = source.socket("[::1]:80".parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "no source address for IPv6 is set");
    }
}
