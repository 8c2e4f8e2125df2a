//! One fetch, from the chosen address to a page.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::Bytes;
use url::Url;

use super::answer_processor::AnswerProcessor;
use super::attempts::{Attempt, Attempts};
use super::connection::Connection;
use super::deadlines::{Deadlines, Timeouts};
use super::dial::{Dialer, Route};
use super::failure::{Failure, cause};
use super::framing::{Framing, framing};
use super::head::Head;
use super::http1::{self, Incoming};
use super::pace::Pace;
use super::panics::caught_async;
use super::pool::{Pool, PoolKey};
use super::receive::{Received, Receiver};
use super::request::{Header, Requests};
use super::under_way::{CalledOff, UnderWay};
use crate::clock::now;
use crate::fetched::{Body, Exchange, Fetched, Kind};
use crate::media_type;
use crate::sitemap;
use crate::url::Key;

/// Bytes read of an answer that is not a page: enough for the archive.
pub const ERROR_CAP: usize = 64 * 1024;

/// One URL to fetch.
#[derive(Debug)]
pub struct Job {
    pub ticket: u64,
    pub key: Key,
    pub url: Url,
    pub href: String,
    /// Chosen by politeness; port 0 means the URL's own port.
    pub address: SocketAddr,
    pub kind: Kind,
    pub is_seed: bool,
    pub extra: Vec<Header>,
    /// The remaining part of the total time-out; `None` means all of it.
    pub within: Option<Duration>,
}

pub struct Fetcher {
    pub dialer: Dialer,
    pub requests: Requests,
    pub attempts: Attempts,
    pub pace: Pace,
    pub pool: Pool,
    pub processor: AnswerProcessor,
    pub timeouts: Timeouts,
    pub under_way: UnderWay,
}

/// An answer whose head has been read.
struct Answer {
    connection: Connection,
    incoming: Incoming,
}

impl Fetcher {
    /// A cancelled request, or one that ended by a panic, becomes a failed fetch. Its connection is dropped before it
    /// is reported.
    pub async fn fetch(&self, job: Job, mut called_off: CalledOff) -> Fetched {
        let mut fetched = unfetched(&job);
        let mut sent = None;
        let result = tokio::select! {
            biased;
            result = caught_async(self.run(&job, &mut fetched, &mut sent)) => result.and_then(|result| result),
            Ok(cause) = &mut called_off => Err(Failure::new(cause, "it was called off before its answer had come")),
        };
        if fetched.ended_at == 0.0 {
            fetched.ended_at = now();
        }
        if let Err(failure) = result {
            fetched.failure = Some(failure.into());
        }
        self.record_end(sent, &fetched);
        match fetched.failure {
            None => self.process(&job, &mut fetched, called_off).await,
            Some(_) => {
                self.under_way.end(job.ticket);
                self.processor.read_signals(&job.url, &mut fetched);
            }
        }
        fetched
    }

    /// If the request is cancelled while its answer waits to be analysed, the answer is dropped: its caller is gone.
    async fn process(&self, job: &Job, fetched: &mut Fetched, called_off: CalledOff) {
        let is_long = self.processor.is_long(fetched);
        tokio::select! {
            biased;
            _turn = self.processor.turns.wait(is_long) => {
                self.under_way.end(job.ticket);
                self.processor.process(&job.url, fetched);
            }
            Ok(cause) = called_off => {
                fetched.exchange = None;
                let failure = Failure::new(cause, "it was called off before its answer was read");
                fetched.failure = Some(failure.into());
            }
        }
    }

    async fn run(
        &self,
        job: &Job,
        fetched: &mut Fetched,
        sent: &mut Option<Attempt>,
    ) -> Result<(), Failure> {
        let deadlines = Deadlines::start(self.timeouts.within(job.within));
        let route = self.dialer.route(&job.url, job.address)?;
        fetched.address = Some(route.key.address);
        let in_full = route.in_full();
        let request = self
            .requests
            .head(&job.url, &route.key.host, &job.extra, in_full.is_some());
        let request = Bytes::from(request);
        let wire = in_full.map(|proxy| proxy.authorize(&request));
        let asked = Asked {
            job,
            route: &route,
            wire: wire.as_deref().unwrap_or(&request),
            deadlines: &deadlines,
        };
        let answer = self.ask(&asked, fetched, sent).await?;
        fetched.note = answer.connection.note.as_deref().unwrap_or_default().into();
        let kept =
            self.requests
                .kept_head(&job.url, &route.key.host, &job.extra, in_full.is_some());
        let request_head = kept.map_or_else(|| request.clone(), Bytes::from);
        self.take_body(&asked, answer, request_head, fetched).await
    }

    /// Sends at most one request. If a reused connection closes without an answer, either it had just been closed, or
    /// the server read the request. Python decides whether and when to retry, because it knows the turns of the host
    /// (P1, P7). The next request uses a new connection.
    async fn ask(
        &self,
        asked: &Asked<'_>,
        fetched: &mut Fetched,
        sent: &mut Option<Attempt>,
    ) -> Result<Answer, Failure> {
        let kept = self.kept(&asked.route.key);
        let was_kept = kept.is_some();
        let mut connection = match kept {
            Some(connection) => connection,
            None => {
                let connected = self.dialer.connect(asked.route, asked.deadlines).await;
                connected
                    .inspect_err(|failure| *sent = make_unsent_record(asked, fetched, failure))?
            }
        };
        self.record_start(asked, fetched, sent).await?;
        #[cfg(test)]
        super::tests::panic_if_planted(asked.job.url.path());
        match self.ask_over(&mut connection, asked).await {
            Ok(incoming) => Ok(Answer {
                connection,
                incoming,
            }),
            Err(error) if error.unanswered && was_kept => {
                self.pool.distrust(&asked.route.key, Instant::now());
                let detail = "a connection that had served before was closed without an answer";
                Err(Failure::new(cause::CONNECTION_STALE, detail))
            }
            Err(error) => Err(error.failure),
        }
    }

    /// An open connection from the pool that still seems usable.
    fn kept(&self, key: &PoolKey) -> Option<Connection> {
        loop {
            let mut connection = self.pool.take(key, Instant::now())?;
            if connection.is_fresh() {
                return Some(connection);
            }
        }
    }

    async fn ask_over(
        &self,
        connection: &mut Connection,
        asked: &Asked<'_>,
    ) -> Result<Incoming, http1::AskFailure> {
        http1::ask(
            connection,
            asked.wire,
            self.processor.caps.headers,
            asked.deadlines,
        )
        .await
    }

    async fn take_body(
        &self,
        asked: &Asked<'_>,
        answer: Answer,
        request_head: Bytes,
        fetched: &mut Fetched,
    ) -> Result<(), Failure> {
        let Answer {
            mut connection,
            mut incoming,
        } = answer;
        let declared = media_type::essence(incoming.head.values("content-type"));
        let plan = self.plan(asked.job, &incoming.head, declared.as_deref());
        let framing = framing(&incoming.head)?;
        let rest = std::mem::take(&mut incoming.rest);
        let received = self
            .receive(asked, &mut connection, framing, &plan, rest)
            .await;
        fetched.ended_at = now();
        fetched.content_type = declared.unwrap_or_default();
        if received.clean && incoming.head.keeps_alive() {
            let key = asked.route.key.clone();
            self.pool.put(key, connection, Instant::now());
        }
        let failure = received.failure.clone();
        fetched.exchange = Some(Exchange {
            request_head,
            response_head: incoming.raw_head,
            status: incoming.head.status,
            headers: incoming.head.headers,
            truncated: received.truncated || plan.discard,
            wire_bytes: incoming.wire_bytes + received.wire_bytes,
            wire_body: plan.kept(received),
            chunked: framing == Framing::Chunked,
        });
        failure.map_or(Ok(()), Err)
    }

    async fn receive(
        &self,
        asked: &Asked<'_>,
        connection: &mut Connection,
        framing: Framing,
        plan: &Plan,
        rest: Vec<u8>,
    ) -> Received {
        let receiver = Receiver::new(
            connection,
            asked.deadlines,
            plan.cap,
            &self.processor.budget,
        );
        if plan.discard && !is_short(framing) {
            return receiver.nothing();
        }
        let job = asked.job;
        let wanted = |start: &[u8]| {
            !plan.sniff
                || self.processor.wants(job.kind, media_type::sniff(start))
                || (job.is_seed && sitemap::may_be_sitemap(start))
        };
        receiver.receive(framing, rest, wanted).await
    }

    /// Decides how much of the body is read, and whether it is stored (H2, H5).
    fn plan(&self, job: &Job, head: &Head, declared: Option<&str>) -> Plan {
        if !is_success(head.status) {
            return Plan::keep(ERROR_CAP);
        }
        let cap = self
            .processor
            .cap(job.kind, job.is_seed, declared.unwrap_or_default());
        match declared {
            Some(declared) if self.processor.wants(job.kind, declared) => Plan::keep(cap),
            Some(_) if !job.is_seed => Plan {
                discard: true,
                ..Plan::keep(ERROR_CAP)
            },
            _ => Plan {
                sniff: head.elements("content-encoding").next().is_none(),
                ..Plan::keep(cap)
            },
        }
    }

    async fn record_start(
        &self,
        asked: &Asked<'_>,
        fetched: &mut Fetched,
        sent: &mut Option<Attempt>,
    ) -> Result<(), Failure> {
        let turn = self.pace.turn(asked.route.key.address.ip());
        fetched.started_at = asked.deadlines.in_all(turn).await?;
        let attempt = attempt(asked, fetched.started_at);
        self.attempts.begin(&attempt).map_err(|error| {
            let detail = format!("nothing was sent, for its record cannot be written: {error}");
            Failure::new(cause::ATTEMPT_NOT_RECORDED, detail)
        })?;
        *sent = Some(attempt);
        Ok(())
    }

    fn record_end(&self, sent: Option<Attempt>, fetched: &Fetched) {
        if let Some(start) = sent {
            let end = Attempt {
                ended: true,
                at: fetched.ended_at,
                status: fetched
                    .exchange
                    .as_ref()
                    .map_or(0, |exchange| exchange.status),
                ..start
            };
            match start.sent {
                true => self.attempts.end(end),
                false => self.attempts.record_unsent(start, end),
            }
        }
    }
}

/// The attempt record of a request that starts now.
fn attempt(asked: &Asked<'_>, at: f64) -> Attempt {
    Attempt {
        ended: false,
        sent: true,
        at,
        key: asked.job.key,
        host_hash: crate::url::host_hash(&asked.route.key.host),
        address: asked.route.key.address,
        kind: asked.job.kind,
        status: 0,
    }
}

/// The attempt record of a connection that failed. There is none if the proxy failed: then the host was not contacted.
fn make_unsent_record(asked: &Asked<'_>, fetched: &Fetched, failure: &Failure) -> Option<Attempt> {
    (failure.cause != cause::PROXY_FAILED).then(|| Attempt {
        sent: false,
        ..attempt(asked, fetched.started_at)
    })
}

/// One request, ready to be sent.
struct Asked<'a> {
    job: &'a Job,
    route: &'a Route<'a>,
    wire: &'a [u8],
    deadlines: &'a Deadlines,
}

/// How a body is handled.
struct Plan {
    cap: usize,
    /// The body is only read so that the connection can be reused, or not read at all.
    discard: bool,
    /// Its first bytes decide whether it is stored.
    sniff: bool,
}

impl Plan {
    fn keep(cap: usize) -> Self {
        Plan {
            cap,
            discard: false,
            sniff: false,
        }
    }

    fn kept(&self, received: Received) -> Body {
        let nothing = Body::Memory(Bytes::new());
        if self.discard {
            return nothing;
        }
        received.body.finish().unwrap_or(nothing)
    }
}

/// Whether reading the body is cheaper than opening a new connection.
fn is_short(framing: Framing) -> bool {
    match framing {
        Framing::Nothing => true,
        Framing::Length(length) => length <= ERROR_CAP as u64,
        Framing::Chunked | Framing::UntilClose => false,
    }
}

pub(super) fn unfetched(job: &Job) -> Fetched {
    Fetched {
        is_seed: job.is_seed,
        started_at: now(),
        ..Fetched::new(job.ticket, job.key, job.href.clone(), job.kind)
    }
}

/// For an invalid request: a bad URL or address.
pub fn refused(ticket: u64, key: Key, href: String, kind: Kind, detail: String) -> Fetched {
    let now = now();
    Fetched {
        started_at: now,
        ended_at: now,
        failure: Some((cause::UNSENDABLE, detail)),
        ..Fetched::new(ticket, key, href, kind)
    }
}

pub fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}
