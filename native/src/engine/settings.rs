//! The settings of an engine.

use std::path::PathBuf;
use std::time::Duration;

use super::deadlines::Timeouts;
use crate::fetched::Kind;

/// Plain values; [`super::Engine::new`] checks them.
#[derive(Debug, Clone)]
pub struct Settings {
    pub user_agent: String,
    /// (host pattern, name, value)
    pub headers: Vec<(String, String, String)>,
    /// (host pattern, with or without a scheme, `http://host:port`)
    pub proxies: Vec<(String, String)>,
    /// (host pattern, with or without a scheme, `ip` or `ip,ip`)
    pub sources: Vec<(String, String)>,
    /// (host pattern, `ip` or `ip:port`)
    pub overrides: Vec<(String, String)>,
    /// `ip:port`; if empty, those of the system.
    pub resolvers: Vec<String>,
    /// Addresses or networks; `*` for all.
    pub allow_private: Vec<String>,
    pub ca_file: Option<PathBuf>,
    pub verify_tls: bool,
    pub timeouts: Timeouts,
    pub caps: Caps,
    pub body_budget: usize,
    pub idle_connections: usize,
    /// Media types whose bodies are read; if empty, all.
    pub content_types: Vec<String>,
    /// Minimum time between two requests to an address (P3).
    pub address_gap: Duration,
    pub attempts_file: Option<PathBuf>,
    pub spill_directory: Option<PathBuf>,
    /// 0 means the number of cores.
    pub threads: usize,
}

/// Maximum bytes, both on the wire and decoded (H2).
#[derive(Debug, Clone, Copy)]
pub struct Caps {
    pub page: usize,
    pub sitemap: usize,
    pub robots: usize,
    pub headers: usize,
}

impl Caps {
    pub fn of(&self, kind: Kind) -> usize {
        match kind {
            Kind::Page | Kind::Requisite => self.page,
            Kind::Sitemap => self.sitemap,
            Kind::Robots => self.robots,
        }
    }
}
