//! `Content-Signal`, `Content-Usage` and `License` lines (W1).
//!
//! `Content-Usage` has a path and then a statement (AIPREF); the longest matching path decides, as for rules, and of
//! several lines with that path all count. Many owners leave out the path, and mean all of the site. `Content-Signal` has
//! no path in practice, and is read by the same rules. `License` holds the URL of RSL terms.

use super::{Span, pattern};
use crate::usage::{Name, Place, Signals, Statement, members};

/// `License` lines that are read.
const MOST_LICENSES: usize = 8;
/// Lines that are shown.
const MOST_SHOWN: usize = 64;
/// Bytes of a licence: the URL is cut further when it becomes a signal.
const LONGEST_LICENSE: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UsageRule {
    pub statement: Statement,
    pub anchored: bool,
    pub line: u32,
    pub octets: u32,
    pub pattern: Span,
    /// Its members, in `Usage::members`.
    pub stated: Span,
    pub shown: Span,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Usage {
    /// The longest path first.
    rules: Vec<UsageRule>,
    /// The members of all statements, one a line.
    members: String,
    licenses: Vec<(String, Span)>,
}

/// The path of a value, and the statement after it.
pub(super) fn split_path(value: &[u8]) -> (&[u8], &[u8]) {
    if !matches!(value, [b'/' | b'*', ..]) {
        return (b"/", value);
    }
    let end = value.iter().position(u8::is_ascii_whitespace);
    value.split_at(end.unwrap_or(value.len()))
}

impl Usage {
    /// `None` if the statement says nothing.
    pub fn store_members(&mut self, statement: Statement, value: &[u8]) -> Option<Span> {
        let start = self.members.len();
        for member in members(statement, &String::from_utf8_lossy(value)) {
            if self.members.len() > start {
                self.members.push('\n');
            }
            self.members.push_str(&member);
        }
        (self.members.len() > start).then(|| Span::since(start, &self.members))
    }

    pub fn add_license(&mut self, value: &[u8], shown: Span) {
        let value = &value[..value.len().min(LONGEST_LICENSE)];
        if !value.is_empty() && self.licenses.len() < MOST_LICENSES {
            let text = String::from_utf8_lossy(value).into_owned();
            self.licenses.push((text, shown));
        }
    }

    pub fn finish(mut self, mut rules: Vec<UsageRule>) -> Self {
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.octets));
        rules.shrink_to_fit();
        self.members.shrink_to_fit();
        self.rules = rules;
        self
    }

    pub fn of_path(&self, patterns: &str, path: &str) -> Option<String> {
        if self.rules.is_empty() && self.licenses.is_empty() {
            return None;
        }
        let mut signals = Signals::default();
        let path = pattern::comparable_path(path);
        for statement in [Statement::Signal, Statement::Usage] {
            for rule in self.deciding(statement, patterns, &path) {
                for member in rule.stated.of(&self.members).split('\n') {
                    signals.add(Place::Robots, statement.name(), member);
                }
            }
        }
        for (license, _) in &self.licenses {
            signals.add(Place::Robots, Name::Rsl, license);
        }
        Some(signals.into_lines()).filter(|lines| !lines.is_empty())
    }

    /// The matching rules with the longest path.
    fn deciding<'u>(
        &'u self,
        statement: Statement,
        patterns: &str,
        path: &str,
    ) -> impl Iterator<Item = &'u UsageRule> {
        let mut matching = self.rules.iter().filter(move |rule| {
            let pattern = rule.pattern.bytes_of(patterns);
            rule.statement == statement && pattern::matches(pattern, rule.anchored, path)
        });
        let first = matching.next();
        let equal =
            matching.take_while(move |rule| first.is_some_and(|first| rule.octets == first.octets));
        first.into_iter().chain(equal)
    }

    /// In the order of the file.
    pub fn lines<'s>(&self, shown: &'s str) -> Vec<&'s str> {
        let mut rules: Vec<_> = self
            .rules
            .iter()
            .map(|rule| (rule.line, rule.shown))
            .collect();
        rules.sort_by_key(|(line, _)| *line);
        let licenses = self.licenses.iter().map(|(_, span)| *span);
        let spans = licenses.chain(rules.into_iter().map(|(_, span)| span));
        spans.take(MOST_SHOWN).map(|span| span.of(shown)).collect()
    }

    pub fn memory(&self) -> usize {
        let licenses = self.licenses.iter().map(|(text, _)| text.len() + 64);
        self.rules.capacity() * size_of::<UsageRule>()
            + self.members.capacity()
            + licenses.sum::<usize>()
    }
}
