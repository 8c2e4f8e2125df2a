//! A fetch without a network: processes given bytes as the engine would process an answer.
//!
//! For simulations, where sockets and clocks are simulated but everything else is real.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use super::Analyse;
use super::answer_processor::AnswerProcessor;
use super::budget::Budget;
use super::failure::{Failure, cause};
use super::fetch::{Job, is_success, unfetched};
use super::framing::framing;
use super::head::{self, Head};
use super::request::Requests;
use super::settings::Caps;
use super::spent::Spent;
use super::turns::Turns;
use crate::error::{Error, Result};
use crate::fetched::{Body, Exchange, Fetched};
use crate::media_type;

const CAP: usize = 1 << 20;

/// What happened to a request, as given by the simulation.
pub struct Act {
    pub started_at: f64,
    pub ended_at: f64,
    /// The response head; empty if there was no answer.
    pub head: Bytes,
    /// The body.
    pub body: Bytes,
    /// A cause of the failure table and its detail.
    pub failure: Option<(String, String)>,
}

pub struct Rehearsal {
    processor: AnswerProcessor,
    requests: Requests,
}

impl Rehearsal {
    pub fn new(
        analyser: Arc<dyn Analyse>,
        user_agent: &str,
        content_types: Vec<String>,
    ) -> Result<Self> {
        let caps = Caps {
            page: CAP,
            sitemap: CAP,
            robots: CAP,
            headers: CAP,
        };
        Ok(Rehearsal {
            processor: AnswerProcessor {
                spent: Spent::default(),
                analyser,
                caps,
                content_types,
                budget: Budget::new(CAP, None),
                turns: Turns::new(1, usize::MAX),
                one_sitemap: Mutex::default(),
            },
            requests: Requests::new(user_agent, &[])?,
        })
    }

    pub fn play(&self, job: &Job, act: Act) -> Result<Fetched> {
        let mut fetched = Fetched {
            address: Some(address_of(job)),
            started_at: act.started_at,
            ended_at: act.ended_at,
            failure: act.failure.map(known).transpose()?,
            ..unfetched(job)
        };
        if !act.head.is_empty() {
            match read_head(&act.head) {
                Ok(head) => fetched.exchange = Some(self.exchange(job, act.head, act.body, head)),
                Err(failure) => fetched.failure = Some(failure.into()),
            }
        }
        if let Some(exchange) = &fetched.exchange {
            let declared = head::values(&exchange.headers, "content-type");
            fetched.content_type = media_type::essence(declared).unwrap_or_default();
        }
        if fetched.failure.is_none() {
            self.processor.process(&job.url, &mut fetched);
        }
        Ok(fetched)
    }

    fn exchange(&self, job: &Job, raw: Bytes, body: Bytes, head: Head) -> Exchange {
        let is_kept = self.keeps(job, &head);
        let host = job.url.host_str().unwrap_or_default();
        let request = self
            .requests
            .kept_head(&job.url, host, &job.extra, false)
            .unwrap_or_else(|| self.requests.head(&job.url, host, &job.extra, false));
        Exchange {
            request_head: Bytes::from(request),
            wire_bytes: (raw.len() + body.len()) as u64,
            response_head: raw,
            status: head.status,
            headers: head.headers,
            wire_body: Body::Memory(if is_kept { body } else { Bytes::new() }),
            truncated: !is_kept,
            chunked: false,
        }
    }

    fn keeps(&self, job: &Job, head: &Head) -> bool {
        let essence = media_type::essence(head.values("content-type"));
        !is_success(head.status)
            || job.is_seed
            || essence.is_none_or(|essence| self.processor.wants(job.kind, &essence))
    }
}

/// The engine would have refused a head without a status, or with wrong framing.
fn read_head(raw: &[u8]) -> std::result::Result<Head, Failure> {
    let head = head::parse(raw)?;
    framing(&head)?;
    Ok(head)
}

fn known((name, detail): (String, String)) -> Result<(&'static str, String)> {
    match cause::OF_A_FETCH.into_iter().find(|cause| *cause == name) {
        Some(cause) => Ok((cause, detail)),
        None => Err(Error::Invalid(format!(
            "{name} is no cause that a fetch can end with"
        ))),
    }
}

fn address_of(job: &Job) -> SocketAddr {
    let mut address = job.address;
    if address.port() == 0 {
        address.set_port(job.url.port_or_known_default().unwrap_or(80));
    }
    address
}
