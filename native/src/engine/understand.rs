//! From the bytes of a good answer to what they mean: decoded, typed, hashed, analysed.

use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest, Sha256};
use url::Url;

use super::Analyse;
use super::budget::Budget;
use super::decode::{self, Decoded};
use super::failure::Failure;
use super::fetch::is_success;
use super::head::values;
use super::media_type;
use super::panics::caught;
use super::settings::Caps;
use super::spent::{Spent, Step};
use crate::fetched::{Body, Exchange, Fetched, Kind};
use crate::page::Page;

/// Bodies above this are read with the thread handed over, so that other fetches go on.
const LONG: usize = 256 * 1024;

pub struct Understanding {
    pub analyser: Arc<dyn Analyse>,
    pub caps: Caps,
    pub content_types: Vec<String>,
    pub budget: Arc<Budget>,
    pub spent: Spent,
}

/// A type is wanted by its name, or with its family: `image/*`.
fn covers(wanted: &str, essence: &str) -> bool {
    wanted == essence
        || wanted
            .strip_suffix('*')
            .is_some_and(|family| family.ends_with('/') && essence.starts_with(family))
}

impl Understanding {
    /// Only pages are chosen by their type (H5): robots.txt and sitemaps come as anything.
    pub fn wants(&self, kind: Kind, essence: &str) -> bool {
        kind != Kind::Page
            || self.content_types.is_empty()
            || self
                .content_types
                .iter()
                .any(|wanted| covers(wanted, essence))
    }

    /// Errors and redirects are kept as they came: only good answers are understood.
    pub fn understand(&self, url: &Url, fetched: &mut Fetched) {
        let Some(mut exchange) = fetched.exchange.take() else {
            return;
        };
        let is_type_known = !fetched.content_type.is_empty();
        let is_wanted = !is_type_known || self.wants(fetched.kind, &fetched.content_type);
        if is_success(exchange.status) && is_wanted {
            let length = exchange.wire_body.as_slice().len();
            let mut read = || caught(|| self.read(url, &mut exchange, fetched));
            let result = if length > LONG {
                tokio::task::block_in_place(read)
            } else {
                read()
            };
            let result = result.and_then(|result| result);
            fetched.failure = result.err().map(Failure::into);
        }
        fetched.exchange = Some(exchange);
    }

    fn read(
        &self,
        url: &Url,
        exchange: &mut Exchange,
        fetched: &mut Fetched,
    ) -> Result<(), Failure> {
        let decoded = self
            .spent
            .on(Step::Decode, || self.decoded(fetched.kind, exchange))?;
        let Decoded { body, truncated } = decoded;
        fetched.is_partly_decoded = truncated;
        let bytes = body.as_slice();
        if fetched.content_type.is_empty() {
            fetched.content_type = media_type::sniff(bytes).to_owned();
        }
        if !self.wants(fetched.kind, &fetched.content_type) {
            exchange.truncated = true;
            exchange.wire_body = Body::Memory(Bytes::new());
            return Ok(());
        }
        fetched.decoded_length = bytes.len() as u64;
        let hash = self.spent.on(Step::Hash, || Sha256::digest(bytes));
        fetched.content_hash = Some(hash.into());
        if fetched.kind == Kind::Page {
            fetched.page = self.spent.on(Step::Analyse, || {
                self.analysed(url, bytes, exchange, &fetched.content_type)
            });
        } else {
            fetched.decoded = Some(body);
        }
        Ok(())
    }

    fn decoded(&self, kind: Kind, exchange: &Exchange) -> Result<Decoded, Failure> {
        let codings = decode::codings(&exchange.headers)?;
        if codings.is_empty() {
            return Ok(Decoded {
                body: exchange.wire_body.clone(),
                truncated: false,
            });
        }
        let wire = exchange.wire_body.as_slice();
        decode::decode(wire, &codings, self.caps.of(kind), &self.budget)
    }

    fn analysed(
        &self,
        url: &Url,
        body: &[u8],
        exchange: &Exchange,
        content_type: &str,
    ) -> Option<Arc<Page>> {
        let declared = values(&exchange.headers, "content-type").next_back();
        let declared = declared.unwrap_or(content_type);
        self.analyser
            .analyse(body, url, declared, &exchange.headers)
            .map(Arc::new)
    }
}
