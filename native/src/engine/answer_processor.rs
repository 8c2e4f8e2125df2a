//! Processes the bytes of a good answer: decodes, types, hashes and analyses them.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use url::Url;

use super::Analyse;
use super::budget::Budget;
use super::decode::{self, Decoded};
use super::failure::Failure;
use super::fetch::is_success;
use super::head::values;
use super::panics::catch_panic;
use super::settings::Caps;
use super::spent::{Spent, Step};
use super::turns::Turns;
use crate::fetched::{Body, Exchange, Fetched, Kind};
use crate::media_type;
use crate::page::Page;
use crate::sitemap::{self, Sitemap};

/// Bodies above this length are analysed in a blocking section, so that other fetches continue.
const LONG: usize = 256 * 1024;
const GZIP: &[u8] = &[0x1F, 0x8B];

pub struct AnswerProcessor {
    pub analyser: Arc<dyn Analyse>,
    pub caps: Caps,
    pub content_types: Vec<String>,
    pub budget: Arc<Budget>,
    pub spent: Spent,
    pub turns: Turns,
    /// Held while a body is analysed that may be a long or compressed sitemap: a few bytes may decode to 50 MB, so
    /// these are analysed one at a time.
    pub one_sitemap: Mutex<()>,
}

/// Whether a media type matches `wanted`, by name or by family (`image/*`).
fn covers(wanted: &str, essence: &str) -> bool {
    wanted == essence
        || wanted
            .strip_suffix('*')
            .is_some_and(|family| family.ends_with('/') && essence.starts_with(family))
}

impl AnswerProcessor {
    /// Only pages are filtered by media type (H5): robots.txt, sitemaps and requisites may have any.
    pub fn wants(&self, kind: Kind, essence: &str) -> bool {
        kind != Kind::Page
            || self.content_types.is_empty()
            || self
                .content_types
                .iter()
                .any(|wanted| covers(wanted, essence))
    }

    /// The cap of a body (H2). A seed whose type is not that of a page may be a sitemap.
    pub fn cap(&self, kind: Kind, is_seed: bool, essence: &str) -> usize {
        if is_seed && kind == Kind::Page && !media_type::is_html(essence) {
            self.caps.page.max(self.caps.sitemap)
        } else {
            self.caps.of(kind)
        }
    }

    /// Whether analysing the answer may take long. A few compressed bytes may be a sitemap of 50 MB.
    pub fn is_long(&self, fetched: &Fetched) -> bool {
        let Some(exchange) = &fetched.exchange else {
            return false;
        };
        let body = exchange.wire_body.as_slice();
        let is_packed = || {
            body.starts_with(GZIP)
                || values(&exchange.headers, "content-encoding")
                    .next()
                    .is_some()
        };
        let is_listed = fetched.is_seed || fetched.kind == Kind::Sitemap;
        is_success(exchange.status) && (body.len() > LONG || is_listed && is_packed())
    }

    /// Processes a good answer; errors and redirects stay as received. Callers with a limited number of threads wait
    /// for a turn first ([`Turns`]).
    pub fn process(&self, url: &Url, fetched: &mut Fetched) {
        let is_long = self.is_long(fetched);
        let Some(mut exchange) = fetched.exchange.take() else {
            return;
        };
        let is_type_known = !fetched.content_type.is_empty();
        let is_wanted =
            !is_type_known || fetched.is_seed || self.wants(fetched.kind, &fetched.content_type);
        if is_success(exchange.status) && is_wanted {
            let mut read = || catch_panic(|| self.read(url, &mut exchange, fetched));
            let result = if is_long {
                tokio::task::block_in_place(read)
            } else {
                read()
            };
            let result = result.and_then(|result| result);
            fetched.failure = result.err().map(Failure::into);
            fetched.held = self.turns.hold(found_bytes(fetched));
        }
        fetched.exchange = Some(exchange);
        self.read_signals(url, fetched);
        self.read_ahead(fetched);
    }

    /// The signals in the headers of an answer whose body is not read as a page (W1): an error, a redirect, a sitemap, an
    /// image, an answer that broke off, or a 304, because an owner may change them while the page stays as it is.
    pub fn read_signals(&self, url: &Url, fetched: &mut Fetched) {
        let (None, Some(exchange)) = (&fetched.page, &fetched.exchange) else {
            return;
        };
        let analyse = || {
            self.analyser
                .analyse(b"", url, "application/octet-stream", &exchange.headers)
        };
        let page = catch_panic(analyse).ok().flatten();
        fetched.usage = page.map_or_else(String::new, |page| page.usage);
    }

    /// Reads from disk in a blocking section, so that other fetches continue. Errors are ignored: the later look-up
    /// meets them again.
    fn read_ahead(&self, fetched: &Fetched) {
        if let Ok(Some(reads)) = catch_panic(|| self.analyser.reads(fetched)) {
            let _ = tokio::task::block_in_place(|| catch_panic(reads));
        }
    }

    fn read(
        &self,
        url: &Url,
        exchange: &mut Exchange,
        fetched: &mut Fetched,
    ) -> Result<(), Failure> {
        let decoded = self
            .spent
            .on(Step::Decode, || self.decoded(fetched, exchange))?;
        let Decoded { body, truncated } = decoded;
        fetched.is_partly_decoded = truncated;
        let bytes = body.as_slice();
        if fetched.content_type.is_empty() {
            fetched.content_type = media_type::sniff(bytes).to_owned();
        }
        let sitemap = self
            .spent
            .on(Step::Analyse, || self.listed(url, bytes, fetched));
        if sitemap.is_none() && !self.wants(fetched.kind, &fetched.content_type) {
            exchange.truncated = true;
            exchange.wire_body = Body::Memory(Bytes::new());
            return Ok(());
        }
        fetched.decoded_length = bytes.len() as u64;
        let hash = self.spent.on(Step::Hash, || Sha256::digest(bytes));
        fetched.content_hash = Some(hash.into());
        if fetched.kind == Kind::Robots {
            fetched.robots_txt = Some(body);
        } else if let Some(sitemap) = sitemap {
            fetched.sitemap = Some(Arc::new(sitemap));
        } else {
            let page = &bytes[..bytes.len().min(self.caps.page)];
            fetched.is_partly_decoded |= page.len() < bytes.len();
            fetched.page = self
                .spent
                .on(Step::Analyse, || self.analysed(url, page, exchange));
        }
        Ok(())
    }

    /// The listed URLs, if the body is a sitemap or feed that is read as one. Many sites answer with an HTML page where
    /// a sitemap was expected (D2). A body of an unwanted type lists nothing.
    fn listed(&self, url: &Url, bytes: &[u8], fetched: &Fetched) -> Option<Sitemap> {
        let is_html = media_type::is_html(&fetched.content_type);
        let read = || {
            let is_long = bytes.len() > LONG || bytes.starts_with(GZIP);
            let _turn = is_long.then(|| self.one_sitemap.lock());
            self.analyser.list(bytes, url)
        };
        match fetched.kind {
            Kind::Robots | Kind::Requisite => None,
            Kind::Page => (fetched.is_seed && sitemap::is_sitemap(bytes, is_html)).then(read),
            Kind::Sitemap if !is_html => Some(read()),
            Kind::Sitemap => {
                let listed = (!sitemap::looks_like_html(bytes)).then(read);
                let listed = listed.filter(|sitemap| !sitemap.entries.is_empty());
                let is_wanted = self.wants(Kind::Page, &fetched.content_type);
                listed.or_else(|| (!is_wanted).then(Sitemap::default))
            }
        }
    }

    fn decoded(&self, fetched: &Fetched, exchange: &Exchange) -> Result<Decoded, Failure> {
        let codings = decode::codings(&exchange.headers)?;
        if codings.is_empty() {
            return Ok(Decoded {
                body: exchange.wire_body.clone(),
                truncated: false,
            });
        }
        let wire = exchange.wire_body.as_slice();
        let cap = self.cap(fetched.kind, fetched.is_seed, &fetched.content_type);
        decode::decode(wire, &codings, cap, &self.budget)
    }

    fn analysed(&self, url: &Url, body: &[u8], exchange: &Exchange) -> Option<Arc<Page>> {
        let content_type = media_type::declared_or_sniffed(&exchange.headers, body);
        self.analyser
            .analyse(body, url, content_type, &exchange.headers)
            .map(Arc::new)
    }
}

/// Approximate memory of the findings.
fn found_bytes(fetched: &Fetched) -> usize {
    let page = fetched.page.as_ref().map_or(0, |page| page.bytes());
    page + fetched
        .sitemap
        .as_ref()
        .map_or(0, |sitemap| sitemap.bytes())
}
