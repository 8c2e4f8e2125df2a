//! Connects to the address that politeness chose for a URL (P3, N2).

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::net::TcpStream;
use url::{Host, Url};

use super::connection::Connection;
use super::deadlines::Deadlines;
use super::dns::Dns;
use super::failure::{Failure, cause};
use super::guard::Guard;
use super::overrides::Overrides;
use super::pattern::normal;
use super::pool::PoolKey;
use super::proxy::{Proxies, Proxy};
use super::sources::{Source, Sources};
use super::tls::Tls;

/// The way to a host.
#[derive(Debug)]
pub struct Route<'a> {
    pub key: PoolKey,
    pub proxy: Option<&'a Proxy>,
    /// The local address to connect from; `None` lets the system choose.
    pub source: Option<&'a Source>,
}

impl Route<'_> {
    /// The proxy, if the request goes to it without a tunnel; then the request has the whole URL.
    pub fn in_full(&self) -> Option<&Proxy> {
        self.proxy.filter(|_| !self.key.secure)
    }
}

pub struct Dialer {
    pub guard: Arc<Guard>,
    pub overrides: Arc<Overrides>,
    pub proxies: Proxies,
    pub sources: Sources,
    pub tls: Tls,
    pub dns: Arc<Dns>,
    pub opened: AtomicU64,
}

impl Dialer {
    /// `chosen` with port 0 means the URL's own port. A proxy changes how a host is reached, but not whether it may be
    /// contacted.
    pub fn route(&self, url: &Url, chosen: SocketAddr) -> Result<Route<'_>, Failure> {
        let host = normal(url.host_str().unwrap_or_default());
        let port = url.port_or_known_default().unwrap_or_default();
        let mut address = chosen;
        if address.port() == 0 {
            address.set_port(port);
        }
        if !self.may_connect(&host, url, address, port) {
            let detail = format!("{} is a private address", address.ip());
            return Err(Failure::new(cause::ADDRESS_REFUSED, detail));
        }
        let secure = url.scheme() == "https";
        let proxy = self.proxies.get(secure, &host);
        let source = self.sources.get(secure, &host);
        Ok(Route {
            key: PoolKey {
                secure,
                host,
                port,
                address,
                proxy: proxy.map(|proxy| (proxy.host.clone(), proxy.port)),
            },
            proxy,
            source,
        })
    }

    /// If the host of the URL is an address, that address must be permitted, too: a proxy would connect to it, whatever
    /// address was chosen.
    fn may_connect(&self, host: &str, url: &Url, address: SocketAddr, port: u16) -> bool {
        if self.overrides.permits(host, address, port) {
            return true;
        }
        let literal = match url.host() {
            Some(Host::Ipv4(literal)) => self.guard.permits(literal.into()),
            Some(Host::Ipv6(literal)) => self.guard.permits(literal.into()),
            _ => true,
        };
        literal && self.guard.permits(address.ip())
    }

    pub async fn connect(
        &self,
        route: &Route<'_>,
        deadlines: &Deadlines,
    ) -> Result<Connection, Failure> {
        deadlines.connecting(self.open(route, deadlines)).await?
    }

    async fn open(&self, route: &Route<'_>, deadlines: &Deadlines) -> Result<Connection, Failure> {
        let key = &route.key;
        let mut stream = match route.proxy {
            Some(proxy) => self.reach_proxy(proxy, route.source).await?,
            None => tcp(key.address, route.source)
                .await
                .map_err(|error| not_connected(&error))?,
        };
        self.opened.fetch_add(1, Ordering::Relaxed);
        if !key.secure {
            return Ok(Connection::plain(stream));
        }
        if let Some(proxy) = route.proxy {
            let host = if key.host.contains(':') {
                format!("[{}]", key.host)
            } else {
                key.host.clone()
            };
            proxy
                .tunnel(&mut stream, &host, key.port, deadlines)
                .await?;
        }
        let (stream, note) = self.tls.connect(&key.host, stream).await?;
        Ok(Connection::secure(stream, note))
    }

    async fn reach_proxy(
        &self,
        proxy: &Proxy,
        source: Option<&Source>,
    ) -> Result<TcpStream, Failure> {
        let failed = |detail: &str| Failure::new(cause::PROXY_FAILED, detail);
        let address = self.dns.address_of(&proxy.host).await;
        let address = address.map_err(|_| failed("the proxy's name does not resolve"))?;
        tcp(SocketAddr::new(address, proxy.port), source)
            .await
            .map_err(|_| failed("the proxy cannot be reached"))
    }
}

async fn tcp(address: SocketAddr, source: Option<&Source>) -> io::Result<TcpStream> {
    let stream = match source {
        None => TcpStream::connect(address).await?,
        Some(source) => source.socket(address)?.connect(address).await?,
    };
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn not_connected(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            Failure::new(cause::CONNECT_REFUSED, "the host refuses connections")
        }
        io::ErrorKind::TimedOut => Failure::new(cause::CONNECT_TIMEOUT, "no connection in time"),
        _ => Failure::new(cause::CONNECT_FAILED, error.to_string()),
    }
}
