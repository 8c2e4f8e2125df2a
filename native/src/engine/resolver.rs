//! Queries name servers with hickory: the system's or the operator's.

use std::net::{IpAddr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;

use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig,
};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::Name;
use hickory_resolver::{ResolverBuilder, TokioResolver};
use tokio::task::JoinSet;

use super::overrides::parse_address;
use crate::error::Result;

const DNS_PORT: u16 = 53;
const TRY: Duration = Duration::from_secs(3);

/// How many of the system's name servers are queried at once.
const SYSTEM_SERVERS_AT_ONCE: usize = 2;

/// The result of a query.
#[derive(Debug)]
pub enum Lookup {
    Found {
        addresses: Vec<IpAddr>,
        ttl: Duration,
    },
    NoSuchName,
    /// The name cannot be queried.
    Impossible,
    Failed(String),
}

/// Created at the first look-up, so that a crawl with overrides only never reads the system's configuration.
///
/// Each of the operator's servers has its own resolver, and all are queried at once; the first one that knows whether
/// the name exists wins. In one shared resolver, a server that refuses or fails would end the query of the others.
pub struct Resolver {
    servers: Vec<SocketAddr>,
    ready: OnceLock<std::result::Result<Vec<TokioResolver>, String>>,
}

impl Resolver {
    /// `servers` are `ip` or `ip:port`; if there are none, those of the system are used.
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

    /// Queries IPv4 first, and IPv6 only for hosts without IPv4: half as many queries, and nearly every host can be
    /// reached.
    pub async fn look_up(&self, host: &str) -> Lookup {
        #[cfg(test)]
        super::tests::panic_if_planted(host);
        let resolvers = match self.ready.get_or_init(|| self.prepare()) {
            Ok(resolvers) => resolvers,
            Err(detail) => return Lookup::Failed(detail.clone()),
        };
        // The root's dot: the machine's search domains are none of the web's business. No IDNA: the URL has had it.
        let Ok(name) = Name::from_ascii(format!("{host}.")) else {
            return Lookup::Impossible;
        };
        match resolvers.as_slice() {
            [only] => ask(only, name).await,
            several => ask_all(several, &name).await,
        }
    }

    fn prepare(&self) -> std::result::Result<Vec<TokioResolver>, String> {
        if self.servers.is_empty() {
            let builder = TokioResolver::builder_tokio().map_err(|error| error.to_string())?;
            return Ok(vec![built(builder)?]);
        }
        let of_server = |server: &SocketAddr| {
            let config = ResolverConfig::from_parts(None, vec![], vec![name_server(*server)]);
            let provider = TokioRuntimeProvider::default();
            let mut builder = TokioResolver::builder_with_config(config, provider);
            builder.options_mut().use_hosts_file = ResolveHosts::Never;
            built(builder)
        };
        self.servers.iter().map(of_server).collect()
    }
}

fn built(
    mut builder: ResolverBuilder<TokioRuntimeProvider>,
) -> std::result::Result<TokioResolver, String> {
    let options = builder.options_mut();
    options.ip_strategy = LookupIpStrategy::Ipv4thenIpv6;
    options.cache_size = 0;
    options.timeout = TRY;
    options.attempts = 1;
    options.num_concurrent_reqs = SYSTEM_SERVERS_AT_ONCE;
    builder.build().map_err(|error| error.to_string())
}

async fn ask(resolver: &TokioResolver, name: Name) -> Lookup {
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

/// Returns the first successful answer and abandons the other look-ups.
async fn ask_all(resolvers: &[TokioResolver], name: &Name) -> Lookup {
    let mut asked = JoinSet::new();
    for resolver in resolvers {
        let (resolver, name) = (resolver.clone(), name.clone());
        asked.spawn(async move { ask(&resolver, name).await });
    }
    let mut last = Lookup::Failed("the name servers failed".into());
    while let Some(answer) = asked.join_next().await {
        match answer {
            Ok(failed @ Lookup::Failed(_)) => last = failed,
            Ok(known) => return known,
            Err(_) => {}
        }
    }
    last
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
