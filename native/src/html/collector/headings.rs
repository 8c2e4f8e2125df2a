//! The headings of a page: `h1` to `h6`, in order.

use crate::html::collapsed_text::CollapsedText;

const MOST: usize = 200;
const CHARACTERS: usize = 300;

#[derive(Default)]
pub struct Headings {
    list: Vec<(u8, String)>,
    open: Option<(u8, CollapsedText)>,
}

impl Headings {
    /// Headings cannot be nested: a second one ends the first, and so does the end tag of any heading.
    pub fn open(&mut self, level: u8) {
        self.close();
        if self.list.len() < MOST {
            self.open = Some((level, CollapsedText::new(CHARACTERS)));
        }
    }

    pub fn close(&mut self) {
        if let Some((level, fold)) = self.open.take()
            && !fold.is_empty()
        {
            self.list.push((level, fold.into_text()));
        }
    }

    /// The buffer for the text of the open heading.
    pub fn listener(&mut self) -> Option<&mut CollapsedText> {
        self.open.as_mut().map(|(_, fold)| fold)
    }

    pub fn into_list(mut self) -> Vec<(u8, String)> {
        self.close();
        self.list
    }
}
