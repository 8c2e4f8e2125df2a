//! Markup within markup: the content of `<noframes>` and of `srcdoc`. A browser hides the first and shows the second in a
//! frame; both have links to pages of the site.

use super::collector::Collector;
use super::names::{self, Name, mark};
use super::tokenizer::{Token, Tokenizer};

/// Passes each start tag to the collector, in one pass.
pub fn read(text: &str, collector: &mut Collector<'_>) {
    let kept = mark::ATTRIBUTES | if collector.media() { mark::MEDIA } else { 0 };
    let mut tokenizer = Tokenizer::new(text, kept);
    let mut templates = 0_u32;
    while let Some(token) = tokenizer.next() {
        match token {
            Token::Start { name, marks, .. } => {
                if templates == 0 {
                    collector.start_in_fragment(name, marks, tokenizer.attributes());
                }
                templates += u32::from(name == names::TEMPLATE);
                if marks & mark::STEERS != 0 {
                    skip_raw_text(&mut tokenizer, name);
                }
            }
            Token::End { name, .. } if name == names::TEMPLATE => {
                templates = templates.saturating_sub(1);
            }
            _ => {}
        }
    }
}

fn skip_raw_text(tokenizer: &mut Tokenizer<'_>, name: Name) {
    match name {
        names::SCRIPT => tokenizer.script_text(),
        names::STYLE => tokenizer.raw_text("style"),
        names::TITLE => tokenizer.raw_text("title"),
        names::TEXTAREA => tokenizer.raw_text("textarea"),
        names::XMP => tokenizer.raw_text("xmp"),
        names::IFRAME => tokenizer.raw_text("iframe"),
        names::NOEMBED => tokenizer.raw_text("noembed"),
        names::NOFRAMES => tokenizer.raw_text("noframes"),
        names::PLAINTEXT => tokenizer.plain_text(),
        _ => "",
    };
}
