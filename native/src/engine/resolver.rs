//! The network's side of DNS: hickory, on the system's servers or the operator's.

use std::net::{IpAddr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig,
};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::Name;

use super::overrides::parse_address;
use crate::error::Result;

const DNS_PORT: u16 = 53;
const TRY: Duration = Duration::from_secs(3);

/// What the network says of a name.
#[derive(Debug)]
pub enum Lookup {
    Found {
        addresses: Vec<IpAddr>,
        ttl: Duration,
    },
    NoSuchName,
    /// It cannot be asked for.
    Impossible,
    Failed(String),
}

/// Made at the first look-up: a crawl of overrides alone never reads the system's configuration.
pub struct Resolver {
    servers: Vec<SocketAddr>,
    ready: OnceLock<std::result::Result<TokioResolver, String>>,
}

impl Resolver {
    /// `servers` are `ip` or `ip:port`; none: those of the system.
    pub fn new<S: AsRef<str>>(servers: &[S]) -> Result<Self> {
        let servers: Result<Vec<SocketAddr>> = servers
            .iter()
            .map(|server| parse_address(server.as_ref()))
            .collect();
        Ok(Resolver {
            servers: servers?,
            ready: OnceLock::new(),
        })
    }

    /// IPv4 first, IPv6 only for hosts without it: half the questions, and what nearly every
    /// host of the web can be reached by.
    pub async fn look_up(&self, host: &str) -> Lookup {
        #[cfg(test)]
        super::tests::panic_if_planted(host);
        let resolver = match self.ready.get_or_init(|| self.prepare()) {
            Ok(resolver) => resolver,
            Err(detail) => return Lookup::Failed(detail.clone()),
        };
        // The root's dot: the machine's search domains are none of the web's business. No IDNA: the URL has had it.
        let Ok(name) = Name::from_ascii(format!("{host}.")) else {
            return Lookup::Impossible;
        };
        match resolver.lookup_ip(name).await {
            Ok(found) => {
                let answers = found.as_lookup().answers();
                let ttl = answers.iter().map(|record| record.ttl).min();
                Lookup::Found {
                    addresses: found.iter().collect(),
                    ttl: Duration::from_secs(u64::from(ttl.unwrap_or_default())),
                }
            }
            Err(error) => not_found(&error),
        }
    }

    fn prepare(&self) -> std::result::Result<TokioResolver, String> {
        let mut builder = if self.servers.is_empty() {
            TokioResolver::builder_tokio().map_err(|error| error.to_string())?
        } else {
            let servers = self.servers.iter().copied().map(name_server).collect();
            let config = ResolverConfig::from_parts(None, vec![], servers);
            TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
        };
        let options = builder.options_mut();
        options.ip_strategy = LookupIpStrategy::Ipv4thenIpv6;
        options.cache_size = 0;
        options.timeout = TRY;
        options.attempts = 1;
        options.num_concurrent_reqs = self.servers.len().max(2);
        if !self.servers.is_empty() {
            options.use_hosts_file = ResolveHosts::Never;
        }
        builder.build().map_err(|error| error.to_string())
    }
}

fn name_server(address: SocketAddr) -> NameServerConfig {
    let port = match address.port() {
        0 => DNS_PORT,
        port => port,
    };
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()];
    let connections = connections.map(|mut connection| {
        connection.port = port;
        connection
    });
    NameServerConfig::new(address.ip(), true, connections.into())
}

fn not_found(error: &NetError) -> Lookup {
    if error.is_nx_domain() {
        return Lookup::NoSuchName;
    }
    if error.is_no_records_found() {
        return Lookup::Failed("the name has no address".into());
    }
    Lookup::Failed(match error {
        NetError::Timeout => "the name servers do not answer".into(),
        _ => "the name servers failed".into(),
    })
}
