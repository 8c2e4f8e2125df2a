//! Fetches: takes a URL and an address, and returns a finished fetch.
//!
//! Python submits jobs in batches and collects results in batches. In between, everything happens on the engine's threads.
//! A job passes through these modules:
//!
//! - `fetch` runs the job, and `under_way` has it until it is over, even if it is cancelled.
//! - `dial` connects, if `guard` allows the address. `pool` may have an open connection.
//! - `attempts` records the request before it is sent, at the `pace` of its address.
//! - `http1` sends the request and reads the head; `receive` reads the body as `framing` says, within the caps and the
//!   `budget`.
//! - When its turn comes (`turns`), `answer_processor` decodes, types, hashes and analyses the body.
//! - `queue` passes the result to Python. `panics` turns a panic into a failed fetch.
//!
//! Redirects are not followed: each hop is a separate URL, about which Python decides (H3). `dns` resolves names
//! independently, while their URLs still wait.

pub mod answer_processor;
pub mod attempts;
pub mod budget;
pub mod connection;
pub mod deadlines;
pub mod decode;
pub mod dial;
pub mod dns;
pub mod dns_cache;
pub mod dns_lanes;
pub mod failure;
pub mod fetch;
pub mod framing;
pub mod guard;
pub mod head;
pub mod http1;
pub mod imported;
pub mod overrides;
pub mod pace;
pub mod panics;
pub mod pattern;
pub mod pool;
pub mod proxy;
pub mod queue;
pub mod receive;
pub mod rehearsal;
pub mod request;
pub mod resolver;
pub mod settings;
pub mod sources;
pub mod spent;
pub mod tls;
mod tls_words;
pub mod turns;
pub mod under_way;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::runtime::Runtime;
use url::Url;

use crate::error::{Error, Result};
use crate::fetched::Fetched;
use crate::html::Reader;
use crate::page::Page;
use crate::sitemap::{self, Sitemap};
use failure::{Failure, cause};
use fetch::{Fetcher, Job};
use queue::{Notifier, Queue, WaitForResult};
use settings::Settings;

/// How long `close` waits for threads that do not end.
const PATIENCE: Duration = Duration::from_secs(2);
const SWEEP: Duration = Duration::from_secs(5);

/// Analyses decoded bodies, on the engine's threads.
pub trait Analyse: Send + Sync {
    fn analyse(
        &self,
        body: &[u8],
        url: &Url,
        content_type: &str,
        headers: &[(String, String)],
    ) -> Option<Page>;

    /// The URLs that a sitemap or a feed lists.
    fn list(&self, body: &[u8], url: &Url) -> Sitemap;

    /// The disk reads that an answer needs before Python sees it; `None` if it needs none.
    fn reads<'a>(&'a self, _fetched: &Fetched) -> Option<Reads<'a>> {
        None
    }
}

/// A blocking read from disk.
pub type Reads<'a> = Box<dyn FnOnce() + 'a>;

impl Analyse for Reader {
    fn analyse(
        &self,
        body: &[u8],
        url: &Url,
        content_type: &str,
        headers: &[(String, String)],
    ) -> Option<Page> {
        Some(self.read(body, url, content_type, headers))
    }

    fn list(&self, body: &[u8], url: &Url) -> Sitemap {
        sitemap::read(body, url, self.identity())
    }
}

/// The result of one look-up.
#[derive(Debug, Clone)]
pub struct Resolved {
    pub ticket: u64,
    pub host: String,
    /// Each with the port of an override, or 0.
    pub addresses: Vec<std::net::SocketAddr>,
    /// By the process's clock.
    pub expires_at: f64,
    pub failure: Option<Failure>,
}

/// A result for Python.
#[derive(Debug, Clone)]
pub enum Outcome {
    Fetched(Arc<Fetched>),
    Resolved(Resolved),
}

pub struct Engine {
    fetcher: Arc<Fetcher>,
    queue: Arc<Queue<Outcome>>,
    in_flight: Arc<AtomicUsize>,
    running: Mutex<Option<(Runtime, Notifier)>>,
}

impl Engine {
    /// `listen` runs on its own thread, and collects whenever it is notified.
    pub fn new(
        settings: Settings,
        analyser: Arc<dyn Analyse>,
        listen: impl FnOnce(&WaitForResult<'_>) + Send + 'static,
    ) -> Result<Self> {
        let threads = match settings.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let fetcher = Arc::new(fetcher(settings, threads, analyser)?);
        let failed = |error| Error::io("the engine's threads", error);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("hondius-engine")
            .enable_all()
            .build()
            .map_err(failed)?;
        let (queue, in_flight) = (Queue::new(), Arc::default());
        let notifier =
            Notifier::start(queue.clone(), Arc::clone(&in_flight), listen).map_err(failed)?;
        runtime.spawn(sweep(fetcher.clone()));
        Ok(Engine {
            fetcher,
            queue,
            in_flight,
            running: Mutex::new(Some((runtime, notifier))),
        })
    }

    pub fn submit(&self, jobs: Vec<Job>) -> Result<()> {
        let running = self.running.lock();
        let (runtime, _) = running.as_ref().ok_or_else(closed)?;
        self.in_flight.fetch_add(jobs.len(), Ordering::Relaxed);
        for job in jobs {
            let (fetcher, queue) = (self.fetcher.clone(), self.queue.clone());
            let in_flight = self.in_flight.clone();
            let called_off = fetcher.under_way.begin(job.ticket);
            // In a box: it has ten kilobytes, and the runtime would move it five times.
            runtime.spawn(Box::pin(async move {
                let fetched = fetcher.fetch(job, called_off).await;
                in_flight.fetch_sub(1, Ordering::Relaxed);
                queue.push(Outcome::Fetched(Arc::new(fetched)));
            }));
        }
        Ok(())
    }

    /// Cancels requests. Each comes back with this cause when its connection is closed and the end of its attempt is
    /// written, or with its answer if that has just arrived. An unknown request comes back at once.
    pub fn cancel(&self, jobs: &[Job], cause: &'static str) {
        for job in jobs {
            if self.fetcher.under_way.call_off(job.ticket, cause) {
                continue;
            }
            let failure = Failure::new(cause, "nothing of it is under way, and no answer came");
            self.queue.push(Outcome::Fetched(Arc::new(Fetched {
                ended_at: crate::clock::now(),
                failure: Some(failure.into()),
                ..fetch::unfetched(job)
            })));
        }
    }

    /// Cancels look-ups: they come back as failed. Later answers are dropped.
    pub fn cancel_look_ups(&self, requests: Vec<(u64, String)>) {
        for (ticket, host) in requests {
            let failure = Failure::new(
                cause::LEASE_ENDED,
                "its name was looked up, and no answer came",
            );
            self.queue
                .push(Outcome::Resolved(unresolved(ticket, host, failure)));
        }
    }

    /// Reports requests that cannot be sent, each as its own failure.
    pub fn refuse(&self, refused: Vec<Fetched>) {
        for fetched in refused {
            self.queue.push(Outcome::Fetched(Arc::new(fetched)));
        }
    }

    pub fn resolve(&self, requests: Vec<(u64, String)>) -> Result<()> {
        let running = self.running.lock();
        let (runtime, _) = running.as_ref().ok_or_else(closed)?;
        let _inside = runtime.enter();
        for (ticket, host) in requests {
            let queue = self.queue.clone();
            let asked = host.clone();
            let (told, name) = (queue.clone(), host.clone());
            let look_up = move || {
                self.fetcher.dialer.dns.resolve(&asked, move |answer| {
                    told.push(Outcome::Resolved(Resolved {
                        ticket,
                        host: name,
                        addresses: answer.addresses,
                        expires_at: answer.until,
                        failure: answer.failure,
                    }));
                })
            };
            if let Err(failure) = panics::catch_panic(look_up) {
                queue.push(Outcome::Resolved(unresolved(ticket, host, failure)));
            }
        }
        Ok(())
    }

    pub fn collect(&self) -> Vec<Outcome> {
        self.queue.collect()
    }

    /// Ends everything that is in progress. Finished results can still be collected.
    pub fn close(&self) {
        self.queue.close();
        let Some((runtime, mut notifier)) = self.running.lock().take() else {
            return;
        };
        runtime.shutdown_timeout(PATIENCE);
        notifier.stop(PATIENCE);
        self.in_flight.store(0, Ordering::Relaxed);
    }

    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    pub fn bodies_in_memory(&self) -> usize {
        self.fetcher.processor.budget.used()
    }

    pub fn connections_opened(&self) -> u64 {
        self.fetcher.dialer.opened.load(Ordering::Relaxed)
    }

    /// CPU time spent on processing answers.
    pub fn spent(&self) -> &spent::Spent {
        &self.fetcher.processor.spent
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.close();
    }
}

fn unresolved(ticket: u64, host: String, failure: Failure) -> Resolved {
    Resolved {
        ticket,
        host,
        addresses: Vec::new(),
        expires_at: crate::clock::now(),
        failure: Some(failure),
    }
}

fn closed() -> Error {
    Error::Invalid("the engine is closed".into())
}

fn fetcher(settings: Settings, threads: usize, analyser: Arc<dyn Analyse>) -> Result<Fetcher> {
    let guard = Arc::new(guard::Guard::new(&settings.allow_private)?);
    let overrides = Arc::new(overrides::Overrides::new(&settings.overrides)?);
    let resolver = resolver::Resolver::new(&settings.resolvers)?;
    Ok(Fetcher {
        dialer: dial::Dialer {
            proxies: proxy::Proxies::new(&settings.proxies)?,
            sources: sources::Sources::new(&settings.sources)?,
            tls: tls::Tls::new(settings.ca_file.as_deref(), settings.verify_tls)?,
            dns: dns::Dns::new(overrides.clone(), guard.clone(), resolver),
            opened: AtomicU64::new(0),
            guard,
            overrides,
        },
        requests: request::Requests::new(&settings.user_agent, &settings.headers)?,
        attempts: attempts::Attempts::open(settings.attempts_file.as_deref())?,
        pace: pace::Pace::new(settings.address_gap),
        pool: pool::Pool::new(settings.idle_connections),
        processor: answer_processor::AnswerProcessor {
            spent: spent::Spent::default(),
            analyser,
            caps: settings.caps,
            content_types: settings.content_types,
            budget: budget::Budget::new(settings.body_budget, settings.spill_directory),
            turns: turns::Turns::new(threads, settings.body_budget / 2),
            one_sitemap: Mutex::default(),
        },
        timeouts: settings.timeouts,
        under_way: under_way::UnderWay::default(),
    })
}

async fn sweep(fetcher: Arc<Fetcher>) {
    let mut turns = tokio::time::interval(SWEEP);
    loop {
        turns.tick().await;
        fetcher.pool.sweep(Instant::now());
    }
}
