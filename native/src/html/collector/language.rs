//! The declared language of a document: by its root element, a pragma in its head, or a header.

const LONGEST: usize = 64;

#[derive(Default)]
pub struct Languages {
    element: Option<String>,
    pragma: String,
    header: String,
}

impl Languages {
    /// Of several root tags, the first that declares a language counts.
    pub fn of_element(&mut self, value: &str) {
        self.element.get_or_insert_with(|| tidy(value));
    }

    pub fn of_pragma(&mut self, value: &str) {
        if self.pragma.is_empty() {
            self.pragma = single(value);
        }
    }

    pub fn of_header(&mut self, value: &str) {
        self.header = single(value);
    }

    /// In lower case; empty if nothing is declared.
    pub fn declared(self) -> String {
        let declared = [self.element.unwrap_or_default(), self.pragma, self.header];
        let mut declared = declared.into_iter().filter(|language| !language.is_empty());
        declared.next().unwrap_or_default()
    }
}

/// Pragma and header may list several languages; then the document has no single language.
fn single(value: &str) -> String {
    if value.contains(',') {
        String::new()
    } else {
        tidy(value)
    }
}

fn tidy(value: &str) -> String {
    let characters = value.trim().chars().take(LONGEST);
    characters.flat_map(char::to_lowercase).collect()
}
