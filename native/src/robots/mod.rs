//! robots.txt (RFC 9309; B1, B3, W1): parsed once for our product token, then matched against each URL.
//!
//! Only the rules that apply to us are kept, the most specific first: the first that matches decides.

mod lines;
pub(crate) mod pattern;
mod usage;

use crate::usage::Statement;
use lines::{Field, Line};
use usage::{Usage, UsageRule};

/// Bytes of a body that are read. The rest is ignored, and so is the line at the cut.
pub const MAX_BODY: usize = 500 * 1024;

/// A hundred years in seconds: times computed with it are still valid dates.
const LONGEST_DELAY: f64 = 100.0 * 365.0 * 86_400.0;

/// Characters of a rule that are kept for display.
const LONGEST_SHOWN: usize = 500;
/// Memory overhead of a string.
const SITEMAP_BYTES: usize = 48;
/// `Sitemap` lines that are read: more than a crawl fetches.
const MOST_SITEMAPS: usize = 2_000;

/// All rules share two strings, one with patterns and one with lines, so that it takes at most a few times the memory of
/// its file ([`Robots::memory`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Robots {
    rules: Vec<Rule>,
    patterns: String,
    shown: String,
    crawl_delay: Option<f64>,
    sitemaps: Vec<String>,
    usage: Usage,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Rule {
    allow: bool,
    anchored: bool,
    line: u32,
    octets: u32,
    pattern: Span,
    shown: Span,
}

/// A part of a shared string.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// From `start` to the end of the text.
    fn since(start: usize, text: &str) -> Self {
        let position = |position| u32::try_from(position).unwrap_or(u32::MAX);
        Span {
            start: position(start),
            end: position(text.len()),
        }
    }

    fn bytes_of(self, text: &str) -> &[u8] {
        text.as_bytes()
            .get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }

    fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }
}

/// The pattern of the directory itself, if the rule names its index page. Not in the RFC, but Google's parser does it,
/// and sites are written for that one.
fn index_directory(value: &[u8]) -> Option<Vec<u8>> {
    let slash = memchr::memrchr(b'/', value)?;
    let (directory, file) = value.split_at(slash + 1);
    file.starts_with(b"index.htm")
        .then(|| [directory, b"$"].concat())
}

/// A verdict, and the rule that decided; line 0 if no rule matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict<'a> {
    pub allowed: bool,
    pub line: usize,
    pub text: &'a str,
}

impl Robots {
    /// Accepts any bytes. `agent` is our product token.
    pub fn parse(body: &[u8], agent: &str) -> Self {
        let mut groups = Groups::new(agent);
        for line in lines::parse(&lines::to_utf8(body)) {
            groups.add_line(&line);
        }
        groups.finish()
    }

    /// `path_and_query` as it is sent in the request.
    pub fn allowed(&self, path_and_query: &str) -> Verdict<'_> {
        const NO_RULE: Verdict<'static> = Verdict {
            allowed: true,
            line: 0,
            text: "",
        };
        if path_and_query == "/robots.txt" {
            return NO_RULE;
        }
        let path = pattern::comparable_path(path_and_query);
        let deciding = self.rules.iter().find(|rule| {
            pattern::matches(rule.pattern.bytes_of(&self.patterns), rule.anchored, &path)
        });
        deciding.map_or(NO_RULE, |rule| Verdict {
            allowed: rule.allow,
            line: rule.line as usize,
            text: rule.shown.of(&self.shown),
        })
    }

    /// The longest Crawl-delay of our groups, in seconds.
    pub fn crawl_delay(&self) -> Option<f64> {
        self.crawl_delay
    }

    /// The usage preferences for a path, one a line (W1); `None` without any. They apply only to what may be fetched, and
    /// never decide that.
    pub fn usage(&self, path_and_query: &str) -> Option<String> {
        self.usage.of_path(&self.patterns, path_and_query)
    }

    /// The lines of the file that [`Robots::usage`] comes from, as written; at most 64.
    pub fn usage_lines(&self) -> Vec<&str> {
        self.usage.lines(&self.shown)
    }

    /// Approximate memory in bytes.
    pub fn memory(&self) -> usize {
        let sitemaps = self.sitemaps.iter().map(|text| text.len() + SITEMAP_BYTES);
        size_of::<Self>()
            + self.rules.capacity() * size_of::<Rule>()
            + self.patterns.capacity()
            + self.shown.capacity()
            + self.usage.memory()
            + sitemaps.sum::<usize>()
    }

    /// Sitemaps of the whole file, in order and as written. The caller resolves relative ones.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

/// The rules so far of one kind of group: ours, or that of `*`.
#[derive(Debug, Default)]
struct Group {
    named: bool,
    rules: Vec<Rule>,
    usage: Vec<UsageRule>,
    crawl_delay: Option<f64>,
}

/// The state of the parser. A group is a sequence of user-agent lines followed by rules. Other records (Sitemap,
/// Crawl-delay, junk) end neither the sequence nor the group (RFC 9309 §2.2.4).
///
/// Crawl-delay is not in the RFC. Its author means the agents directly above it, so a user-agent line after it begins a
/// new group for delays, but not for rules. Usage preferences are read likewise: they must not change which rules apply
/// to us. Those before the first user-agent line are meant for everyone.
struct Groups<'a> {
    agent: &'a str,
    ours: Group,
    everyone: Group,
    rules_for: Agents,
    delay_for: Agents,
    usage_for: Agents,
    after_rules: bool,
    after_delay: bool,
    after_usage: bool,
    patterns: String,
    shown: String,
    sitemaps: Vec<String>,
    usage: Usage,
}

/// Which of the groups that apply to us are open.
#[derive(Debug, Clone, Copy, Default)]
struct Agents {
    ours: bool,
    everyone: bool,
}

impl<'a> Groups<'a> {
    fn new(agent: &'a str) -> Self {
        Groups {
            agent,
            ours: Group::default(),
            everyone: Group::default(),
            rules_for: Agents::default(),
            delay_for: Agents::default(),
            usage_for: Agents {
                ours: true,
                everyone: true,
            },
            after_rules: false,
            after_delay: false,
            after_usage: true,
            patterns: String::new(),
            shown: String::new(),
            sitemaps: Vec::new(),
            usage: Usage::default(),
        }
    }

    fn add_line(&mut self, line: &Line<'_>) {
        match line.field {
            Field::UserAgent => self.open_group(line.value),
            Field::Allow => self.add_rule(line, true),
            Field::Disallow => self.add_rule(line, false),
            Field::CrawlDelay => self.set_delay(line.value),
            Field::Sitemap => self.add_sitemap(line.value),
            Field::ContentSignal => self.add_usage(line, Statement::Signal),
            Field::ContentUsage => self.add_usage(line, Statement::Usage),
            Field::License => self.add_license(line),
        }
    }

    fn open_group(&mut self, value: &[u8]) {
        if self.after_rules {
            self.rules_for = Agents::default();
        }
        if self.after_rules || self.after_delay {
            self.delay_for = Agents::default();
        }
        if self.after_rules || self.after_usage {
            self.usage_for = Agents::default();
        }
        (self.after_rules, self.after_delay, self.after_usage) = (false, false, false);
        let is_everyone = lines::is_everyone(value);
        let is_ours = !is_everyone && lines::is_agent(value, self.agent);
        for agents in [
            &mut self.rules_for,
            &mut self.delay_for,
            &mut self.usage_for,
        ] {
            agents.everyone |= is_everyone;
            agents.ours |= is_ours;
        }
        self.everyone.named |= is_everyone;
        self.ours.named |= is_ours;
    }

    fn add_rule(&mut self, line: &Line<'_>, allow: bool) {
        self.after_rules = true;
        if line.value.is_empty() {
            return;
        }
        if !self.rules_for.ours && !self.rules_for.everyone {
            return;
        }
        let shown = self.store_shown(line.text);
        let directory = index_directory(line.value).filter(|_| allow);
        for value in [Some(line.value), directory.as_deref()]
            .into_iter()
            .flatten()
        {
            let start = self.patterns.len();
            let shape = pattern::write(value, &mut self.patterns);
            let rule = Rule {
                allow,
                anchored: shape.anchored,
                line: u32::try_from(line.number).unwrap_or(u32::MAX),
                octets: shape.octets,
                pattern: Span::since(start, &self.patterns),
                shown,
            };
            for group in self.open_groups(self.rules_for) {
                group.rules.push(rule);
            }
        }
    }

    fn store_shown(&mut self, text: &[u8]) -> Span {
        let start = self.shown.len();
        let text = String::from_utf8_lossy(text);
        self.shown.extend(text.chars().take(LONGEST_SHOWN));
        Span::since(start, &self.shown)
    }

    fn set_delay(&mut self, value: &[u8]) {
        self.after_delay = true;
        let seconds = std::str::from_utf8(value)
            .ok()
            .and_then(|text| text.parse::<f64>().ok());
        let Some(seconds) = seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0) else {
            return;
        };
        let seconds = seconds.min(LONGEST_DELAY);
        for group in self.open_groups(self.delay_for) {
            group.crawl_delay = Some(
                group
                    .crawl_delay
                    .map_or(seconds, |known| known.max(seconds)),
            );
        }
    }

    fn add_usage(&mut self, line: &Line<'_>, statement: Statement) {
        self.after_usage = true;
        if !self.usage_for.ours && !self.usage_for.everyone {
            return;
        }
        let (path, value) = usage::split_path(line.value);
        let Some(stated) = self.usage.store_members(statement, value) else {
            return;
        };
        let start = self.patterns.len();
        let shape = pattern::write(path, &mut self.patterns);
        let rule = UsageRule {
            statement,
            anchored: shape.anchored,
            octets: shape.octets,
            line: u32::try_from(line.number).unwrap_or(u32::MAX),
            pattern: Span::since(start, &self.patterns),
            stated,
            shown: self.store_shown(line.text),
        };
        for group in self.open_groups(self.usage_for) {
            group.usage.push(rule);
        }
    }

    /// Not tied to a group (RSL).
    fn add_license(&mut self, line: &Line<'_>) {
        let shown = self.store_shown(line.text);
        self.usage.add_license(line.value, shown);
    }

    fn add_sitemap(&mut self, value: &[u8]) {
        let text = String::from_utf8_lossy(value).into_owned();
        let is_new = !text.is_empty() && self.sitemaps.last() != Some(&text);
        if is_new && self.sitemaps.len() < MOST_SITEMAPS {
            self.sitemaps.push(text);
        }
    }

    fn open_groups(&mut self, agents: Agents) -> impl Iterator<Item = &mut Group> {
        let ours = agents.ours.then_some(&mut self.ours);
        let everyone = agents.everyone.then_some(&mut self.everyone);
        ours.into_iter().chain(everyone)
    }

    fn finish(self) -> Robots {
        let Group {
            mut rules,
            usage: usage_rules,
            crawl_delay,
            ..
        } = if self.ours.named {
            self.ours
        } else {
            self.everyone
        };
        rules.sort_by_key(|rule| (std::cmp::Reverse(rule.octets), !rule.allow));
        rules.shrink_to_fit();
        let (mut patterns, mut shown) = (self.patterns, self.shown);
        patterns.shrink_to_fit();
        shown.shrink_to_fit();
        Robots {
            rules,
            patterns,
            shown,
            crawl_delay,
            sitemaps: self.sitemaps,
            usage: self.usage.finish(usage_rules),
        }
    }
}

#[cfg(test)]
mod tests;
