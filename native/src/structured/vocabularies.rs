//! Names of RDFa: `vocab` is put before words, `prefix` says what stands for a prefix, and some prefixes are known anyway.

use crate::html::tree::{Element, Id};

/// Bytes of a vocabulary; a longer one is none. Each name that it is put before would copy it.
const LONGEST: usize = 500;
/// Prefixes that one element declares.
const MOST_PREFIXES: usize = 20;
/// Elements within each other that declare something.
const MOST_OPEN: usize = 64;

/// Prefixes that need no declaration.
const KNOWN: [(&str, &str); 10] = [
    ("schema", "http://schema.org/"),
    ("og", "http://ogp.me/ns#"),
    ("foaf", "http://xmlns.com/foaf/0.1/"),
    ("dc", "http://purl.org/dc/terms/"),
    ("dcterms", "http://purl.org/dc/terms/"),
    ("sioc", "http://rdfs.org/sioc/ns#"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
];

/// What the elements around declare, the outermost first.
#[derive(Default)]
pub struct Vocabularies {
    open: Vec<Declaration>,
}

struct Declaration {
    element: Id,
    vocabulary: Option<String>,
    prefixes: Vec<(String, String)>,
}

impl Vocabularies {
    pub fn enter(&mut self, id: Id, element: &Element) {
        let vocabulary = element.attribute("vocab").map(str::trim);
        let prefixes = element.attribute("prefix");
        if vocabulary.is_none() && prefixes.is_none() || self.open.len() == MOST_OPEN {
            return;
        }
        self.open.push(Declaration {
            element: id,
            vocabulary: vocabulary
                .filter(|vocabulary| vocabulary.len() <= LONGEST)
                .map(str::to_owned),
            prefixes: read_prefixes(prefixes.unwrap_or_default()),
        });
    }

    pub fn leave(&mut self, id: Id) {
        self.open.pop_if(|declaration| declaration.element == id);
    }

    /// A type may be a word of the vocabulary around it.
    pub fn expand_type(&self, name: &str) -> String {
        if name.contains(':') {
            return self.expand_prefix(name);
        }
        let mut vocabularies = self
            .open
            .iter()
            .rev()
            .filter_map(|declaration| declaration.vocabulary.as_deref());
        match vocabularies.next() {
            Some(vocabulary) => format!("{vocabulary}{name}"),
            None => name.to_owned(),
        }
    }

    /// A name without a prefix that is known stays as it is.
    pub fn expand_prefix(&self, name: &str) -> String {
        let Some((prefix, rest)) = name.split_once(':') else {
            return name.to_owned();
        };
        let declared = self
            .open
            .iter()
            .rev()
            .flat_map(|declaration| &declaration.prefixes);
        let declared = declared.map(|(prefix, vocabulary)| (prefix.as_str(), vocabulary.as_str()));
        let mut all = declared.chain(KNOWN);
        match all.find(|(known, _)| known.eq_ignore_ascii_case(prefix)) {
            Some((_, vocabulary)) if !rest.starts_with("//") => format!("{vocabulary}{rest}"),
            _ => name.to_owned(),
        }
    }
}

/// `dc: http://purl.org/dc/terms/ ex: http://example.com/`
fn read_prefixes(declared: &str) -> Vec<(String, String)> {
    let mut words = declared.split_ascii_whitespace();
    let mut prefixes = Vec::new();
    while prefixes.len() < MOST_PREFIXES
        && let (Some(prefix), Some(vocabulary)) = (words.next(), words.next())
    {
        let Some(prefix) = prefix.strip_suffix(':') else {
            break;
        };
        if prefix.len() <= LONGEST && vocabulary.len() <= LONGEST {
            prefixes.push((prefix.to_owned(), vocabulary.to_owned()));
        }
    }
    prefixes
}
