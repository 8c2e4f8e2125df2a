//! Reads a body off a connection, up to its end or its cap.

use std::io;
use std::sync::Arc;

use bytes::BufMut;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::budget::{BodyBuffer, Budget};
use super::deadlines::Deadlines;
use super::failure::{Failure, cause};
use super::framing::{Chunks, Framing};
use super::http1::broken;

const PIECE: usize = 32 * 1024;
/// How much more than its data a chunked body may take on the wire: sizes, extensions, tiny chunks.
const FRAMING_FACTOR: u64 = 2;
const FRAMING_SPARE: u64 = 64 * 1024;

/// A received body.
#[derive(Debug)]
pub struct Received {
    pub body: BodyBuffer,
    /// It was cut at a cap, or the spill directory is full.
    pub truncated: bool,
    /// It was read exactly to its end, so the connection can be reused.
    pub clean: bool,
    pub wire_bytes: u64,
    pub failure: Option<Failure>,
}

/// Receives a body.
pub struct Receiver<'a, S> {
    stream: &'a mut S,
    deadlines: &'a Deadlines,
    cap: usize,
    received: Received,
}

/// How a body ended if it did not fail.
enum End {
    Clean,
    Unclean,
    Cut,
}

impl<'a, S: AsyncRead + Unpin> Receiver<'a, S> {
    pub fn new(
        stream: &'a mut S,
        deadlines: &'a Deadlines,
        cap: usize,
        budget: &Arc<Budget>,
    ) -> Self {
        Receiver {
            stream,
            deadlines,
            cap,
            received: Received {
                body: BodyBuffer::new(budget),
                truncated: false,
                clean: false,
                wire_bytes: 0,
                failure: None,
            },
        }
    }

    /// Does not read the body.
    pub fn nothing(mut self) -> Received {
        self.received.truncated = true;
        self.received
    }

    /// `rest` is what arrived with the head. `wanted` gets the first bytes once; if it returns false, reading ends.
    pub async fn receive(
        mut self,
        framing: Framing,
        rest: Vec<u8>,
        wanted: impl FnOnce(&[u8]) -> bool,
    ) -> Received {
        let end = match framing {
            Framing::Nothing => Ok(End::when(rest.is_empty())),
            Framing::Length(length) => self.counted(length, &rest, wanted).await,
            Framing::UntilClose => self.until_close(&rest, wanted).await,
            Framing::Chunked => self.chunked(rest, wanted).await,
        };
        match end {
            Ok(End::Clean) => self.received.clean = true,
            Ok(End::Unclean) => {}
            Ok(End::Cut) => self.received.truncated = true,
            Err(failure) => {
                self.received.truncated = true;
                self.received.failure = Some(failure);
            }
        }
        self.received
    }

    async fn counted(
        &mut self,
        length: u64,
        rest: &[u8],
        wanted: impl FnOnce(&[u8]) -> bool,
    ) -> Result<End, Failure> {
        let whole = usize::try_from(length).unwrap_or(usize::MAX);
        let limit = whole.min(self.cap);
        let mut wanted = Some(wanted);
        if !self.append(&rest[..rest.len().min(limit)]) {
            return Ok(End::Cut);
        }
        while self.received.body.len() < limit {
            if !self.still_wanted(&mut wanted) {
                return Ok(End::Cut);
            }
            match self.read_directly(limit - self.received.body.len()).await? {
                Some(0) => return Err(incomplete(self.received.body.len(), length)),
                Some(_) => {}
                None => return Ok(End::Cut),
            }
        }
        if limit < whole || !self.still_wanted(&mut wanted) {
            return Ok(End::Cut);
        }
        Ok(End::when(rest.len() <= whole))
    }

    async fn until_close(
        &mut self,
        rest: &[u8],
        wanted: impl FnOnce(&[u8]) -> bool,
    ) -> Result<End, Failure> {
        let mut wanted = Some(wanted);
        if !self.append(&rest[..rest.len().min(self.cap)]) || rest.len() > self.cap {
            return Ok(End::Cut);
        }
        loop {
            if !self.still_wanted(&mut wanted) {
                return Ok(End::Cut);
            }
            let left = self.cap - self.received.body.len();
            if left == 0 {
                return self.nothing_more().await;
            }
            match self.read_directly(left).await? {
                Some(0) => return Ok(End::Unclean),
                Some(_) => {}
                None => return Ok(End::Cut),
            }
        }
    }

    /// A body as long as the cap is complete, not cut.
    async fn nothing_more(&mut self) -> Result<End, Failure> {
        let mut probe = [0; 1];
        match self
            .deadlines
            .transferring(self.stream.read(&mut probe))
            .await?
        {
            Ok(0) => Ok(End::Unclean),
            _ => Ok(End::Cut),
        }
    }

    async fn chunked(
        &mut self,
        mut piece: Vec<u8>,
        wanted: impl FnOnce(&[u8]) -> bool,
    ) -> Result<End, Failure> {
        let mut chunks = Chunks::default();
        let mut wanted = Some(wanted);
        loop {
            let used = self.feed(&mut chunks, &piece)?;
            let too_much =
                self.received.wire_bytes > FRAMING_FACTOR * self.cap as u64 + FRAMING_SPARE;
            if self.received.truncated || too_much || !self.still_wanted(&mut wanted) {
                return Ok(End::Cut);
            }
            if chunks.is_done() {
                return Ok(End::when(used == piece.len()));
            }
            piece.clear();
            piece.reserve(PIECE);
            if self.read_into(&mut piece, PIECE).await? == 0 {
                let detail = "the connection was closed within a chunked body";
                return Err(Failure::new(cause::BODY_INCOMPLETE, detail));
            }
        }
    }

    fn feed(&mut self, chunks: &mut Chunks, piece: &[u8]) -> Result<usize, Failure> {
        let received = &mut self.received;
        let cap = self.cap;
        chunks.feed(piece, |data| {
            let fits = data.len().min(cap - received.body.len());
            let kept = received.body.append(&data[..fits]).is_ok();
            received.truncated = !kept || fits < data.len();
            !received.truncated
        })
    }

    fn still_wanted(&self, wanted: &mut Option<impl FnOnce(&[u8]) -> bool>) -> bool {
        if self.received.body.is_empty() {
            return true;
        }
        wanted
            .take()
            .is_none_or(|wanted| wanted(self.received.body.start()))
    }

    fn append(&mut self, data: &[u8]) -> bool {
        self.received.body.append(data).is_ok()
    }

    /// Reads directly into the body; `None` if there is no room left anywhere.
    async fn read_directly(&mut self, limit: usize) -> Result<Option<usize>, Failure> {
        let Ok(room) = self.received.body.room(limit) else {
            return Ok(None);
        };
        let limit = limit.min(room.capacity() - room.len());
        let reading = async { self.stream.read_buf(&mut room.limit(limit)).await };
        let length = read_length(self.deadlines.transferring(reading).await?)?;
        self.received.wire_bytes += length as u64;
        Ok(Some(length))
    }

    async fn read_into(&mut self, piece: &mut Vec<u8>, limit: usize) -> Result<usize, Failure> {
        let reading = async { self.stream.read_buf(&mut piece.limit(limit)).await };
        let length = read_length(self.deadlines.transferring(reading).await?)?;
        self.received.wire_bytes += length as u64;
        Ok(length)
    }
}

impl End {
    fn when(clean: bool) -> Self {
        if clean { End::Clean } else { End::Unclean }
    }
}

/// A TLS stream without close_notify counts as closed; the framing decides whether that is too early.
fn read_length(result: io::Result<usize>) -> Result<usize, Failure> {
    match result {
        Ok(length) => Ok(length),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
        Err(error) => Err(broken(&error)),
    }
}

fn incomplete(got: usize, length: u64) -> Failure {
    let detail = format!("the connection was closed after {got} of {length} bytes");
    Failure::new(cause::BODY_INCOMPLETE, detail)
}
