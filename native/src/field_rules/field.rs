//! One field: where its texts are found, and what becomes of them.

use regex::{Regex, RegexBuilder};
use serde_json::Value as Json;

use super::json_path::JsonPath;
use super::kind::{Kind, Raw, Value};
use super::page::{Item, Page};
use super::{Items, Matches};
use crate::error::Error;
use crate::html::tree::Id;
use crate::select::{Selector, TooMuch, inner_html, inner_text, value_of};

/// Values of a field that takes all.
const MOST_VALUES: usize = 10_000;
/// Bytes of a compiled regular expression.
const PATTERN_SIZE: usize = 1024 * 1024;

/// Bytes that a search takes in one step.
const BYTES_A_STEP: usize = 128;

/// A field as a user wrote it.
#[derive(Debug, Default, Clone)]
pub struct FieldOptions {
    pub name: String,
    pub css: Option<String>,
    pub json_ld: Option<String>,
    pub regex: Option<String>,
    pub attribute: Option<String>,
    pub html: bool,
    pub all: bool,
    pub kind: String,
    pub of_page: bool,
    pub required: bool,
}

pub struct Field {
    source: Source,
    pattern: Option<Regex>,
    take: Take,
    takes_all: bool,
    kind: Kind,
    of_page: bool,
    pub is_required: bool,
}

enum Source {
    Css(Selector),
    JsonLd(JsonPath),
    /// The source of the page, or of the item, for a regular expression alone.
    Markup,
}

enum Take {
    Text,
    Html,
    Attribute(String),
}

impl Field {
    /// The error names the field, and says what to do.
    pub fn parse(options: &FieldOptions, items: &Items) -> Result<Self, Error> {
        Self::build(options, items)
            .map_err(|reason| Error::Invalid(format!("{}: {reason}", options.name)))
    }

    fn build(options: &FieldOptions, items: &Items) -> Result<Self, String> {
        let is_relative = matches!(items, Items::Objects(_)) && !options.of_page;
        let source = match (&options.css, &options.json_ld) {
            (Some(css), _) => Source::Css(Selector::parse(css)?),
            (None, Some(path)) if is_relative => Source::JsonLd(JsonPath::parse_relative(path)?),
            (None, Some(path)) => Source::JsonLd(JsonPath::parse(path)?),
            (None, None) => Source::Markup,
        };
        let pattern = options.regex.as_deref().map(compile).transpose()?;
        Ok(Field {
            source,
            pattern,
            take: match &options.attribute {
                Some(name) => Take::Attribute(name.to_ascii_lowercase()),
                None if options.html => Take::Html,
                None => Take::Text,
            },
            takes_all: options.all,
            kind: options.kind.parse()?,
            of_page: options.of_page,
            is_required: options.required,
        })
    }

    /// Whether it is read from the page as a whole, even if there are items.
    pub fn is_of_page(&self, items: &Items) -> bool {
        self.of_page
            || match items {
                Items::Page => true,
                Items::Elements(_) => matches!(self.source, Source::JsonLd(_)),
                Items::Objects(_) => !matches!(self.source, Source::JsonLd(_)),
            }
    }

    pub fn is_json_ld(&self) -> bool {
        matches!(self.source, Source::JsonLd(_))
    }

    pub fn is_of_source(&self) -> bool {
        matches!(self.source, Source::Markup)
    }

    pub fn needs_positions(&self) -> bool {
        matches!(&self.source, Source::Css(selector) if selector.needs_positions())
    }

    pub(super) fn read(
        &self,
        page: &mut Page<'_>,
        item: &Item,
        matches: &mut Matches,
    ) -> Result<Value, TooMuch> {
        let texts = self.find(page, item)?;
        matches.count += texts.len();
        if matches.first.is_none() {
            matches.first = texts.first().map(|raw| raw.text.clone());
        }
        if self.kind == Kind::Exists {
            return Ok(Value::Truth(!texts.is_empty()));
        }
        let mut values = Vec::new();
        for raw in texts {
            match self.kind.convert(&raw, page) {
                Some(value) => values.push(value),
                None if matches.unread.is_none() => matches.unread = Some(raw.text),
                None => {}
            }
        }
        Ok(match self.takes_all {
            true => Value::List(values),
            false => values.into_iter().next().unwrap_or(Value::Nothing),
        })
    }

    /// The texts, before they are converted: the first, or all of them.
    fn find(&self, page: &mut Page<'_>, item: &Item) -> Result<Vec<Raw>, TooMuch> {
        let found = match &self.source {
            Source::Css(selector) => self.find_elements(selector, page, item)?,
            Source::JsonLd(path) => self.find_values(path, page, item)?,
            Source::Markup => vec![Raw::of(self.read_markup(page, item)?)],
        };
        let Some(pattern) = &self.pattern else {
            return Ok(found);
        };
        let mut matched = Vec::new();
        for raw in found {
            let room = self.most() - matched.len();
            for captures in pattern.captures_iter(&raw.text).take(room) {
                // A search takes linear time, but all of them together may not.
                let end = captures.get(0).map_or(0, |all| all.end());
                page.work.take((raw.text.len() - end) / BYTES_A_STEP)?;
                let group = captures.iter().skip(1).flatten().next();
                let text = group.or_else(|| captures.get(0));
                let text = text.map_or("", |text| text.as_str()).trim().to_owned();
                matched.push(Raw::of(page.keep(text)?));
            }
        }
        Ok(matched)
    }

    fn find_elements(
        &self,
        selector: &Selector,
        page: &mut Page<'_>,
        item: &Item,
    ) -> Result<Vec<Raw>, TooMuch> {
        // With a pattern, or without the attribute, the first element may not be the one that is read.
        let takes_first = !self.takes_all && self.pattern.is_none();
        let is_sure = takes_first && !matches!(self.take, Take::Attribute(_));
        let most = if is_sure { 1 } else { MOST_VALUES };
        let mut texts = Vec::new();
        for id in page.find(selector, item, most)? {
            if let Some(text) = self.read_element(id, page)? {
                texts.push(Raw::of(page.keep(text)?));
                if takes_first {
                    break;
                }
            }
        }
        Ok(texts)
    }

    fn read_element(&self, id: Id, page: &mut Page<'_>) -> Result<Option<String>, TooMuch> {
        let Some((tree, work)) = page.tree() else {
            return Ok(None);
        };
        Ok(match &self.take {
            Take::Text => Some(inner_text(tree, id, work)?),
            Take::Html => Some(inner_html(tree, id, work)?),
            Take::Attribute(name) => {
                let value = tree.element(id).and_then(|element| value_of(element, name));
                value.map(|value| value.trim().to_owned())
            }
        })
    }

    fn find_values(
        &self,
        path: &JsonPath,
        page: &mut Page<'_>,
        item: &Item,
    ) -> Result<Vec<Raw>, TooMuch> {
        let objects = page.objects();
        let most = if self.pattern.is_none() {
            self.most()
        } else {
            MOST_VALUES
        };
        let found = match item {
            Item::Object(object) if !self.of_page => path.follow(object, most),
            _ => path.find(&objects, most),
        };
        let mut texts = Vec::new();
        for value in found {
            let mut raw = read_json(value);
            raw.text = page.keep(raw.text)?;
            texts.push(raw);
        }
        Ok(texts)
    }

    fn read_markup(&self, page: &mut Page<'_>, item: &Item) -> Result<String, TooMuch> {
        match item {
            Item::Element(id) if !self.of_page => match page.tree() {
                Some((tree, work)) => inner_html(tree, *id, work),
                None => Ok(String::new()),
            },
            _ => {
                page.work.take(page.source.len() / 64)?;
                Ok(page.source.to_string())
            }
        }
    }

    fn most(&self) -> usize {
        if self.takes_all { MOST_VALUES } else { 1 }
    }
}

/// A text, a number, or anything else as JSON. `{"@value": …}` is its value.
fn read_json(value: &Json) -> Raw {
    match value.get("@value").unwrap_or(value) {
        Json::String(text) => Raw::of(text.trim().to_owned()),
        Json::Number(number) => Raw {
            text: number.to_string(),
            number: number.as_f64(),
        },
        other => Raw::of(other.to_string()),
    }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).build();
    built.map_err(|error| {
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default();
        let reason = reason.strip_prefix("error: ").unwrap_or(reason);
        format!("{pattern:?} is no regular expression: {reason}")
    })
}
