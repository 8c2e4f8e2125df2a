//! The deep pass over one page (A5): its main text, as plain text and as Markdown, and its structured data.
//!
//! It runs on demand and never while crawling. html5ever builds the tree once for all of it. If a document is too
//! expensive, or not HTML, the text of the crawl is used instead.

use url::Url;

use crate::html::{Opened, Reader};
use crate::main_text::{self, MainText};
use crate::structured;

/// Version of these rules. Raise it with every change, so that stored results are computed again.
pub const EXTRACTION_VERSION: u32 = 5;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extraction {
    pub main: MainText,
    /// A JSON object: see [`structured`].
    pub structured_data: String,
}

impl Extraction {
    /// Never fails: any bytes give a result, in time and memory proportional to their number.
    pub fn read(
        reader: &Reader,
        body: &[u8],
        url: &Url,
        content_type: &str,
        headers: &[(String, String)],
    ) -> Self {
        match reader.open(body, url, content_type, headers) {
            Opened::Tree {
                tree,
                encoding,
                bytes,
            } => Extraction {
                main: main_text::extract(&tree, url, encoding, bytes),
                structured_data: structured::read(&tree, url, encoding, bytes),
            },
            Opened::Text(text) => Extraction {
                main: main_text::from_lines(&text),
                structured_data: structured::nothing(),
            },
            Opened::Page(page) => Extraction {
                main: main_text::from_blocks(page.main_blocks()),
                structured_data: structured::nothing(),
            },
        }
    }
}
