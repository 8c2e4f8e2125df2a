//! The time-outs of one fetch (H2): between two bytes, and in total.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::failure::{Failure, cause};

#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    pub connect: Duration,
    pub read: Duration,
    pub total: Duration,
}

impl Timeouts {
    /// The same time-outs, with a total of at most `left`.
    pub fn within(self, left: Option<Duration>) -> Self {
        Timeouts {
            total: left.map_or(self.total, |left| left.min(self.total)),
            ..self
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    timeouts: Timeouts,
    total: Instant,
}

impl Deadlines {
    pub fn start(timeouts: Timeouts) -> Self {
        Deadlines {
            timeouts,
            total: Instant::now() + timeouts.total,
        }
    }

    /// Limits connecting: TCP, a proxy's tunnel and TLS together.
    pub async fn connecting<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        let slow = (cause::CONNECT_TIMEOUT, "no connection in time");
        self.within(self.timeouts.connect, slow, work).await
    }

    /// Limits one read or write.
    pub async fn transferring<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        let slow = (cause::READ_TIMEOUT, "the server fell silent");
        self.within(self.timeouts.read, slow, work).await
    }

    /// Limits everything that has no time-out of its own.
    pub async fn in_all<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        let slow = (cause::TOTAL_TIMEOUT, "the answer took too long in all");
        self.within(self.timeouts.total, slow, work).await
    }

    async fn within<T>(
        &self,
        limit: Duration,
        slow: (&'static str, &'static str),
        work: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        let own = Instant::now() + limit;
        let result = timeout_at(own.min(self.total), work).await;
        result.map_err(|_| {
            let (cause, detail) = match self.total < own {
                true => (cause::TOTAL_TIMEOUT, "the answer took too long in all"),
                false => slow,
            };
            Failure::new(cause, detail)
        })
    }
}
