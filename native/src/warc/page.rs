//! A page, read again from its record.

use super::read::{Content, read};
use crate::engine::head;
use crate::error::Result;
use crate::html::Reader;
use crate::page::Page;
use url::Url;

const NOT_MODIFIED: u16 = 304;

pub enum Archived {
    Page(Box<Page>),
    /// A revisit: the body lies where this URL was archived.
    Elsewhere(String),
    /// The body was not kept.
    Nothing,
}

/// Reads the page of a record as it was read when it came. `original`: the record that has the body, where the first is
/// a revisit. Of the body `cap` bytes are read.
pub fn page(
    reader: &Reader,
    url: &Url,
    record: &[u8],
    original: Option<&[u8]>,
    cap: usize,
) -> Result<Archived> {
    let mut content = read(record)?;
    if field(&content, "warc-type") == Some("revisit") {
        let Some(original) = original else {
            let target = field(&content, "warc-refers-to-target-uri");
            return Ok(target.map_or(Archived::Nothing, |target| {
                Archived::Elsewhere(target.to_owned())
            }));
        };
        let first = read(original)?;
        let status = head::parse(&content.http_head).map_or(0, |head| head.status);
        content.body = first.body;
        if status == NOT_MODIFIED {
            content.http_head = first.http_head;
        }
    }
    if content.body.is_empty() {
        return Ok(Archived::Nothing);
    }
    let headers = head::parse(&content.http_head).map_or_else(|_| Vec::new(), |head| head.headers);
    let declared = headers
        .iter()
        .rfind(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let declared = declared.map_or("", |(_, value)| value);
    let body = &content.body[..content.body.len().min(cap)];
    Ok(Archived::Page(Box::new(
        reader.read(body, url, declared, &headers),
    )))
}

fn field<'a>(content: &'a Content, name: &str) -> Option<&'a str> {
    let mut fields = content.fields.iter();
    let found = fields.find(|(held, _)| held == name);
    found.map(|(_, value)| value.as_str())
}
