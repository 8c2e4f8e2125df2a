//! HTTP proxies by scheme and host pattern (N3): absolute-form for `http`, a CONNECT tunnel for `https`.
//!
//! Credentials in a proxy's URL go to that proxy and nowhere else: not into the archive, not
//! into a message, and, for `https`, not into the tunnel.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::net::TcpStream;

use super::deadlines::Deadlines;
use super::failure::{Failure, cause};
use super::http1;
use super::pattern::{ByOrigin, normal};
use super::request::write_header;
use crate::error::{Error, Result};
use crate::url::parse_base;

#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    pub host: String,
    pub port: u16,
    authorization: Option<String>,
}

/// Without the credentials.
impl std::fmt::Debug for Proxy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Proxy({}:{})", self.host, self.port)
    }
}

const HEAD_CAP: usize = 16 * 1024;

impl Proxy {
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = || Error::Invalid("a proxy is written http://host:port".into());
        let url = parse_base(text).map_err(|_| invalid())?;
        let host = url.host_str().filter(|_| url.scheme() == "http");
        let decode = |part: &str| percent_decode(part).ok_or_else(invalid);
        let authorization = match (url.username(), url.password()) {
            ("", None) => None,
            (user, password) => {
                let mut credentials = decode(user)?;
                credentials.push(b':');
                credentials.extend(decode(password.unwrap_or_default())?);
                Some(format!("Basic {}", STANDARD.encode(credentials)))
            }
        };
        Ok(Proxy {
            host: normal(host.ok_or_else(invalid)?),
            port: url.port_or_known_default().unwrap_or(80),
            authorization,
        })
    }

    /// Adds the credentials to a request for the proxy. The archive gets the request without them.
    pub fn authorize(&self, head: &[u8]) -> Vec<u8> {
        let mut authorized = head.to_vec();
        if let Some(authorization) = &self.authorization {
            authorized.truncate(head.len() - 2);
            write_header(
                &mut authorized,
                "Proxy-Authorization",
                authorization.as_bytes(),
            );
            authorized.extend_from_slice(b"\r\n");
        }
        authorized
    }

    /// Opens a tunnel on a fresh connection to the proxy.
    pub async fn tunnel(
        &self,
        stream: &mut TcpStream,
        host: &str,
        port: u16,
        deadlines: &Deadlines,
    ) -> std::result::Result<(), Failure> {
        let failed = |detail: String| Failure::new(cause::PROXY_FAILED, detail);
        let head = format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n");
        let request = self.authorize(head.as_bytes());
        let answer = http1::ask(stream, &request, HEAD_CAP, deadlines)
            .await
            .map_err(|error| failed(format!("the proxy: {}", error.failure.detail)))?;
        if !(200..300).contains(&answer.head.status) {
            return Err(failed(format!("the proxy answered {}", answer.head.status)));
        }
        if !answer.rest.is_empty() {
            return Err(failed("the proxy spoke into the tunnel".into()));
        }
        Ok(())
    }
}

fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next()?, bytes.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    Some(decoded)
}

/// Which proxy serves which host.
#[derive(Debug, Default)]
pub struct Proxies(ByOrigin<Proxy>);

impl Proxies {
    pub fn new<S: AsRef<str>>(rows: &[(S, S)]) -> Result<Self> {
        let mut origins = ByOrigin::default();
        for (pattern, text) in rows {
            origins.set(pattern.as_ref(), Proxy::parse(text.as_ref())?)?;
        }
        Ok(Proxies(origins))
    }

    pub fn get(&self, secure: bool, host: &str) -> Option<&Proxy> {
        self.0.get(secure, host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_sent_to_the_proxy_and_shown_to_nobody() {
        let proxy = Proxy::parse("http://us%65r:p%40ss@proxy.test:3128").unwrap();
        let sent = proxy.authorize(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        let expected = format!(
            "GET / HTTP/1.1\r\nHost: a\r\nProxy-Authorization: Basic {}\r\n\r\n",
            STANDARD.encode("user:p@ss")
        );
        assert_eq!(String::from_utf8(sent).unwrap(), expected);
        assert_eq!(format!("{proxy:?}"), "Proxy(proxy.test:3128)");
    }

    #[test]
    fn only_http_proxies_are_taken() {
        for text in [
            "https://p:1",
            "socks5://p:1",
            "p:1",
            "",
            "http://user:%zz@p:1",
        ] {
            let error = Proxy::parse(text).unwrap_err();
            assert_eq!(error.to_string(), "a proxy is written http://host:port");
        }
    }
}
