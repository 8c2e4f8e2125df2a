//! Turns tags into entries. One lenient reader for all four dialects.
//!
//! An entry ends with the next entry, a second location or the end of the document, not with its closing tag, which may
//! be missing or come too early. Items of feeds must be closed, because the channel has a link of its own.

use super::entities::push_decoded;
use super::scanner::{Event, Name, Scanner, attribute};
use super::{Collector, Draft, is_absolute, is_blank};
use crate::url::MAX_TEXT;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Urls,
    Index,
    Rss,
    Atom,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Location,
    /// Used if there is no location: an RSS `guid`, an Atom `id`, bare text in an entry.
    Identifier,
    LastModified,
    /// Used if there is no better date.
    Published,
    ChangeFrequency,
    Priority,
}

pub(super) fn read(text: &str, collector: &mut Collector<'_>) {
    let mut reader = Reader {
        collector,
        dialect: None,
        prefix: String::new(),
        has_document_type: false,
        entry: None,
        field: None,
        text: String::new(),
        draft: Draft::default(),
        identifier: String::new(),
    };
    for event in Scanner::new(text) {
        reader.handle(event);
    }
    reader.end_entry();
}

struct Reader<'a, 'b> {
    collector: &'a mut Collector<'b>,
    dialect: Option<Dialect>,
    /// Prefix of the entry's tag. Its fields have the same: `image:loc` belongs to an image.
    prefix: String,
    has_document_type: bool,
    /// The dialect of the open entry.
    entry: Option<Dialect>,
    field: Option<Field>,
    /// Text of the open field.
    text: String,
    draft: Draft,
    identifier: String,
}

impl Reader<'_, '_> {
    fn handle(&mut self, event: Event<'_>) {
        match event {
            Event::Open { name, attributes } => self.open(name, attributes),
            Event::Close(name) => self.close(name),
            Event::Text(text) => self.text(text, true),
            Event::Literal(text) => self.text(text, false),
            Event::DocumentType => self.has_document_type = true,
            Event::Torn => self.end_field(),
            Event::Aside => {}
        }
    }

    fn open(&mut self, name: Name<'_>, attributes: &str) {
        let entry = entry(name.local);
        if entry.is_some() && self.awaits_location() {
            return;
        }
        self.end_field();
        if let Some(dialect) = root(name.local) {
            self.dialect.get_or_insert(dialect);
        } else if let Some(dialect) = entry.filter(|dialect| self.accepts(*dialect)) {
            self.begin_entry(name, dialect);
        } else if let Some(dialect) = self.dialect {
            self.draft.is_news |= dialect == Dialect::Urls
                && name.prefix == "news"
                && name.local.eq_ignore_ascii_case("news");
            self.begin_field(dialect, name, attributes);
        }
    }

    /// Some sites write `<loc><url>…</url></loc>`.
    fn awaits_location(&self) -> bool {
        self.field == Some(Field::Location) && self.text.trim_matches(is_blank).is_empty()
    }

    /// One file may contain pages and child sitemaps; a feed contains only items.
    fn accepts(&self, dialect: Dialect) -> bool {
        use Dialect::{Index, Urls};
        match self.dialect {
            None => true,
            Some(Urls | Index) => matches!(dialect, Urls | Index),
            Some(feed) => feed == dialect,
        }
    }

    fn begin_entry(&mut self, name: Name<'_>, dialect: Dialect) {
        self.end_entry();
        self.dialect.get_or_insert(dialect);
        self.entry = Some(dialect);
        self.field = matches!(dialect, Dialect::Urls | Dialect::Index).then_some(Field::Identifier);
        name.prefix.clone_into(&mut self.prefix);
    }

    fn begin_field(&mut self, dialect: Dialect, name: Name<'_>, attributes: &str) {
        let is_feed = matches!(dialect, Dialect::Rss | Dialect::Atom);
        let Some(field) = field(dialect, name, &self.prefix) else {
            return;
        };
        if is_feed && self.entry.is_none() {
            return;
        }
        if dialect == Dialect::Atom && field == Field::Location {
            self.atom_link(attributes);
            return;
        }
        if field == Field::Location && !is_feed && !self.draft.location.is_empty() {
            self.flush();
        }
        if !attributes.ends_with('/') {
            self.field = Some(field);
            self.text.clear();
        }
    }

    /// Takes the first link to the entry itself.
    fn atom_link(&mut self, attributes: &str) {
        let relation = attribute(attributes, "rel").unwrap_or("alternate");
        if self.draft.location.is_empty() && relation.eq_ignore_ascii_case("alternate") {
            let href = attribute(attributes, "href").unwrap_or_default();
            push_decoded(
                &mut self.draft.location,
                href.trim_matches(is_blank),
                self.has_document_type,
            );
        }
    }

    fn close(&mut self, name: Name<'_>) {
        self.end_field();
        let closed = self
            .dialect
            .and_then(|dialect| field(dialect, name, &self.prefix));
        let entry = entry(name.local);
        if closed == self.field || entry.is_some() {
            self.field = None;
        }
        if entry == self.dialect && matches!(entry, Some(Dialect::Rss | Dialect::Atom)) {
            self.end_entry();
        }
    }

    fn text(&mut self, text: &str, has_references: bool) {
        if self.field.is_none() || self.text.len() > MAX_TEXT {
            return;
        }
        let text = &text[..text.floor_char_boundary(MAX_TEXT + 1)];
        if has_references {
            push_decoded(&mut self.text, text, self.has_document_type);
        } else {
            self.text.push_str(text);
        }
    }

    /// A field without text stays open: the closing tag belonged to another element.
    fn end_field(&mut self) {
        let value = self.text.trim_matches(is_blank);
        let Some(field) = self.field.filter(|_| !value.is_empty()) else {
            return;
        };
        let draft = &mut self.draft;
        match field {
            Field::Location if draft.location.is_empty() => value.clone_into(&mut draft.location),
            Field::Identifier => value.clone_into(&mut self.identifier),
            Field::LastModified => value.clone_into(&mut draft.last_modified),
            Field::Published if draft.last_modified.is_empty() => {
                value.clone_into(&mut draft.last_modified)
            }
            Field::ChangeFrequency => value.clone_into(&mut draft.change_frequency),
            Field::Priority => value.clone_into(&mut draft.priority),
            Field::Location | Field::Published => {}
        }
        self.field = None;
        self.text.clear();
    }

    fn end_entry(&mut self) {
        self.flush();
        self.field = None;
        self.entry = None;
    }

    fn flush(&mut self) {
        let mut draft = std::mem::take(&mut self.draft);
        let identifier = std::mem::take(&mut self.identifier);
        if draft.location.is_empty() && is_absolute(&identifier) {
            draft.location = identifier;
        }
        draft.is_sitemap = self.entry.or(self.dialect) == Some(Dialect::Index);
        self.collector.add(&draft);
    }
}

fn root(name: &str) -> Option<Dialect> {
    match_ignoring_case(
        name,
        &[
            ("urlset", Dialect::Urls),
            ("sitemapindex", Dialect::Index),
            ("rss", Dialect::Rss),
            ("rdf", Dialect::Rss),
            ("feed", Dialect::Atom),
        ],
    )
}

fn entry(name: &str) -> Option<Dialect> {
    match_ignoring_case(
        name,
        &[
            ("url", Dialect::Urls),
            ("sitemap", Dialect::Index),
            ("item", Dialect::Rss),
            ("entry", Dialect::Atom),
        ],
    )
}

fn field(dialect: Dialect, name: Name<'_>, prefix: &str) -> Option<Field> {
    let names: &[(&str, Field)] = match dialect {
        Dialect::Urls | Dialect::Index => &[
            ("loc", Field::Location),
            ("lastmod", Field::LastModified),
            ("changefreq", Field::ChangeFrequency),
            ("priority", Field::Priority),
        ],
        Dialect::Rss => &[
            ("link", Field::Location),
            ("guid", Field::Identifier),
            ("pubDate", Field::LastModified),
        ],
        Dialect::Atom => &[
            ("link", Field::Location),
            ("id", Field::Identifier),
            ("updated", Field::LastModified),
            ("modified", Field::LastModified),
            ("published", Field::Published),
        ],
    };
    if dialect == Dialect::Rss && name.prefix == "dc" && name.local == "date" {
        return Some(Field::Published);
    }
    match_ignoring_case(name.local, names).filter(|_| name.prefix == prefix)
}

fn match_ignoring_case<T: Copy>(name: &str, names: &[(&str, T)]) -> Option<T> {
    let known = names
        .iter()
        .find(|(known, _)| name.eq_ignore_ascii_case(known));
    known.map(|(_, value)| *value)
}
