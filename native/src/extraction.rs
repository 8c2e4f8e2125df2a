//! The deep pass over one page (A5): its main text, as plain text and as Markdown, and its structured data.
//!
//! It is made on demand and never while crawling. html5ever builds the tree once for all of it. Where a document was made
//! to be expensive, or is not HTML, the text that the crawl reads stands in.

use url::Url;

use crate::html::{Opened, Reader};
use crate::main_text::{self, MainText};
use crate::structured;

/// Of how all of this is found and written: whoever changes that must raise it, so that what was kept is made again.
pub const EXTRACTION_VERSION: u32 = 1;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extraction {
    pub main: MainText,
    /// A JSON object: see [`structured`].
    pub structured_data: String,
}

impl Extraction {
    /// Any bytes give one, in time and memory that grow with their number only.
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
            Opened::Page(page) => Extraction {
                main: main_text::from_blocks(page.main_blocks()),
                structured_data: structured::nothing(),
            },
        }
    }
}
