//! From the bytes of a good answer to what they mean: decoded, typed, hashed, analysed.

use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::decode;
use super::failure::Failure;
use super::fetch::{Fetcher, Job, is_success};
use super::head::values;
use super::media_type;
use crate::fetched::{Body, Exchange, Fetched, Kind};
use crate::page::Page;

/// Bodies above this are read with the thread handed over, so that other fetches go on.
const LONG: usize = 256 * 1024;

impl Fetcher {
    /// Errors and redirects are kept as they came: only good answers are understood.
    pub(super) fn understand(&self, job: &Job, fetched: &mut Fetched) {
        let Some(mut exchange) = fetched.exchange.take() else {
            return;
        };
        let is_type_known = !fetched.content_type.is_empty();
        if is_success(exchange.status) && (!is_type_known || self.wants(job, &fetched.content_type))
        {
            let length = exchange.wire_body.as_slice().len();
            let result = if length > LONG {
                tokio::task::block_in_place(|| self.read(job, &mut exchange, fetched))
            } else {
                self.read(job, &mut exchange, fetched)
            };
            fetched.failure = result.err().map(Failure::into);
        }
        fetched.exchange = Some(exchange);
    }

    fn read(
        &self,
        job: &Job,
        exchange: &mut Exchange,
        fetched: &mut Fetched,
    ) -> Result<(), Failure> {
        let body = self.decoded(job.kind, exchange)?;
        let bytes = body.as_slice();
        if fetched.content_type.is_empty() {
            fetched.content_type = media_type::sniff(bytes).to_owned();
        }
        if !self.wants(job, &fetched.content_type) {
            exchange.truncated = true;
            exchange.wire_body = Body::Memory(Bytes::new());
            return Ok(());
        }
        fetched.decoded_length = bytes.len() as u64;
        fetched.content_hash = Some(Sha256::digest(bytes).into());
        if job.kind == Kind::Page {
            fetched.page = self.analysed(job, bytes, exchange, &fetched.content_type);
        } else {
            fetched.decoded = Some(body);
        }
        Ok(())
    }

    fn decoded(&self, kind: Kind, exchange: &mut Exchange) -> Result<Body, Failure> {
        let codings = decode::codings(&exchange.headers)?;
        if codings.is_empty() {
            return Ok(exchange.wire_body.clone());
        }
        let wire = exchange.wire_body.as_slice();
        let decoded = decode::decode(wire, &codings, self.caps.of(kind), &self.budget)?;
        exchange.truncated |= decoded.truncated;
        Ok(decoded.body)
    }

    fn analysed(
        &self,
        job: &Job,
        body: &[u8],
        exchange: &Exchange,
        content_type: &str,
    ) -> Option<Arc<Page>> {
        let declared = values(&exchange.headers, "content-type").next_back();
        let declared = declared.unwrap_or(content_type);
        self.analyser
            .analyse(body, &job.url, declared, &exchange.headers)
            .map(Arc::new)
    }
}
