//! Reads a page or a sitemap from its record.

use super::read::{Content, read};
use crate::engine::head;
use crate::error::Result;
use crate::html::Reader;
use crate::media_type;
use crate::page::Page;
use crate::sitemap::{self, Sitemap};
use url::Url;

const NOT_MODIFIED: u16 = 304;

pub enum Archived {
    Page(Box<Page>),
    Sitemap(Sitemap),
    /// A revisit: the body is in the record of this URL.
    Elsewhere(String),
    /// The body was not archived.
    Nothing,
}

/// Reads the page of a record as the crawl did. `original` is the record with the body, if `record` is a revisit. Reads
/// `cap` bytes of a page's body. `listed_as` is the media type, if the crawl took the body for a sitemap.
pub fn page(
    reader: &Reader,
    url: &Url,
    record: &[u8],
    original: Option<&[u8]>,
    cap: usize,
    listed_as: Option<&str>,
) -> Result<Archived> {
    let mut content = read(record, cap)?;
    if field(&content, "warc-type") == Some("revisit") {
        let Some(original) = original else {
            let target = field(&content, "warc-refers-to-target-uri");
            return Ok(target.map_or(Archived::Nothing, |target| {
                Archived::Elsewhere(target.to_owned())
            }));
        };
        let first = read(original, cap)?;
        let status = head::parse(&content.http_head).map_or(0, |head| head.status);
        content.body = first.body;
        if status == NOT_MODIFIED {
            content.http_head = first.http_head;
        }
    }
    if content.body.is_empty() {
        return Ok(Archived::Nothing);
    }
    if let Some(listed) = listed_as.and_then(|essence| listed(reader, url, &content.body, essence))
    {
        return Ok(Archived::Sitemap(listed));
    }
    let headers = head::parse(&content.http_head).map_or_else(|_| Vec::new(), |head| head.headers);
    let content_type = media_type::declared_or_sniffed(&headers, &content.body);
    Ok(Archived::Page(Box::new(reader.read(
        &content.body,
        url,
        content_type,
        &headers,
    ))))
}

/// The entries of a sitemap; `None` if the body is a page, by the rules of the engine.
fn listed(reader: &Reader, url: &Url, body: &[u8], essence: &str) -> Option<Sitemap> {
    let is_html = media_type::is_html(essence);
    if is_html && sitemap::looks_like_html(body) {
        return None;
    }
    let listed = sitemap::read(body, url, reader.identity());
    (!is_html || !listed.entries.is_empty()).then_some(listed)
}

fn field<'a>(content: &'a Content, name: &str) -> Option<&'a str> {
    let mut fields = content.fields.iter();
    let found = fields.find(|(held, _)| held == name);
    found.map(|(_, value)| value.as_str())
}
