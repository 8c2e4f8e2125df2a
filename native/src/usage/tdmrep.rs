//! `/.well-known/tdmrep.json` (TDMRep): an array of rules, each with a location and what holds there (W1).
//!
//! A location is a pattern as in robots.txt; the first rule of the file that matches a path decides. Values are read
//! leniently (`1`, `"1"` and `true` mean the same), because an owner who writes a reservation wants one.

use serde_json::{Map, Value};

use super::{Name, Place, Signals, push_value};
use crate::robots::pattern;
use crate::structured::{Room, kept_json};

/// Bytes of a file that is read; a longer one says nothing.
pub const MOST_BYTES: usize = 128 * 1024;
/// Rules that are read.
const MOST_RULES: usize = 1_000;
/// Bytes of a location; a longer one is no rule.
const LONGEST_LOCATION: usize = 2_000;
/// Rules that are shown.
const MOST_SHOWN: usize = 64;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tdmrep {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    location: String,
    pattern: String,
    anchored: bool,
    reservation: String,
    policy: String,
}

impl Tdmrep {
    /// Never fails: a file that is no such array has no rules.
    pub fn parse(body: &[u8]) -> Self {
        if body.len() > MOST_BYTES {
            return Tdmrep::default();
        }
        let text = String::from_utf8_lossy(body);
        let text = text.trim_start_matches('\u{FEFF}');
        let rules = match kept_json::parse(text, &mut Room::new(text.len())) {
            Ok(Some(Value::Array(rules))) => rules,
            Ok(Some(rule @ Value::Object(_))) => vec![rule],
            _ => Vec::new(),
        };
        let rules = rules.iter().filter_map(Value::as_object);
        Tdmrep {
            rules: rules.take(MOST_RULES).filter_map(Rule::read).collect(),
        }
    }

    /// The signals of a path with its query, one a line; `None` if no rule matches it.
    pub fn usage(&self, path: &str) -> Option<String> {
        let path = pattern::comparable_path(path);
        let matches =
            |rule: &&Rule| pattern::matches(rule.pattern.as_bytes(), rule.anchored, &path);
        let rule = self.rules.iter().find(matches)?;
        let mut signals = Signals::default();
        for (name, value) in rule.stated() {
            signals.add(Place::Tdmrep, name, value);
        }
        Some(signals.into_lines())
    }

    /// The rules as text, in the order of the file.
    pub fn lines(&self) -> Vec<String> {
        let shown = self.rules.iter().take(MOST_SHOWN);
        shown.map(Rule::describe).collect()
    }

    pub fn memory(&self) -> usize {
        let texts = self.rules.iter().map(|rule| {
            let (stated, place) = (rule.reservation.len() + rule.policy.len(), &rule.location);
            stated + place.len() + rule.pattern.len() + size_of::<Rule>()
        });
        texts.sum()
    }
}

impl Rule {
    fn read(rule: &Map<String, Value>) -> Option<Self> {
        let location = rule.get("location")?.as_str()?.trim();
        if location.is_empty() || location.len() > LONGEST_LOCATION {
            return None;
        }
        let is_path = location.starts_with(['/', '*']);
        let location = format!("{}{location}", if is_path { "" } else { "/" });
        let mut written = String::new();
        let shape = pattern::write(location.as_bytes(), &mut written);
        let read = Rule {
            location,
            pattern: written,
            anchored: shape.anchored,
            reservation: rule.get("tdm-reservation").map_or_else(String::new, write),
            policy: rule.get("tdm-policy").map_or_else(String::new, write),
        };
        let states_something = read.stated().next().is_some();
        states_something.then_some(read)
    }

    fn stated(&self) -> impl Iterator<Item = (Name, &str)> {
        let values = [
            (Name::TdmReservation, self.reservation.as_str()),
            (Name::TdmPolicy, self.policy.as_str()),
        ];
        values.into_iter().filter(|(_, value)| !value.is_empty())
    }

    fn describe(&self) -> String {
        let mut line = String::from("tdmrep.json:");
        push_value(&self.location, &mut line);
        for (name, value) in self.stated() {
            line.push(' ');
            line.push_str(name.as_str());
            push_value(value, &mut line);
        }
        line
    }
}

/// A value as a signal has it; empty for lists, objects and null.
fn write(value: &Value) -> String {
    match value {
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::Number(number) => match number.as_f64() {
            Some(1.0) => "1".to_owned(),
            Some(0.0) => "0".to_owned(),
            _ => number.to_string(),
        },
        Value::String(text) => match text.trim() {
            text if text.eq_ignore_ascii_case("true") => "1".to_owned(),
            text if text.eq_ignore_ascii_case("false") => "0".to_owned(),
            text => text.to_owned(),
        },
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"[
        {"location": "/a/", "tdm-reservation": 1, "tdm-policy": "https://a.test/p.json"},
        {"location": "/b/*.jpg$", "tdm-reservation": 0},
        {"location": "/b/", "tdm-reservation": "1"},
        {"location": "/c%24", "tdm-reservation": true}
    ]"#;

    fn usage(file: &str, path: &str) -> Option<String> {
        Tdmrep::parse(file.as_bytes()).usage(path)
    }

    #[test]
    fn the_first_rule_that_matches_decides() {
        let policy = "tdmrep tdm-reservation 1\ntdmrep tdm-policy https://a.test/p.json";
        assert_eq!(usage(FILE, "/a/x?q=1").as_deref(), Some(policy));
        let of = |path| usage(FILE, path);
        assert_eq!(of("/b/x.jpg").as_deref(), Some("tdmrep tdm-reservation 0"));
        assert_eq!(
            of("/b/x.jpg?big").as_deref(),
            Some("tdmrep tdm-reservation 1")
        );
        assert_eq!(of("/c$").as_deref(), Some("tdmrep tdm-reservation 1"));
        assert_eq!(of("/A/x"), None);
        assert_eq!(of("/"), None);
    }

    #[test]
    fn a_file_that_is_no_array_of_rules_says_nothing() {
        for file in [
            "",
            "<html>",
            "[1, null, []]",
            "{",
            "[{}]",
            r#"[{"location": "/"}]"#,
            r#"[{"location": 7, "tdm-reservation": 1}]"#,
            r#"[{"location": "/", "tdm-reservation": [1]}]"#,
        ] {
            assert_eq!(usage(file, "/"), None, "{file}");
        }
        assert_eq!(Tdmrep::parse(&[0xFF; 1_000]), Tdmrep::default());
    }

    #[test]
    fn a_rule_without_brackets_and_a_mark_before_it_are_read() {
        let file = "\u{FEFF}{\"location\": \"x\", \"tdm-reservation\": 1.0}";
        assert_eq!(
            usage(file, "/xy").as_deref(),
            Some("tdmrep tdm-reservation 1")
        );
    }

    #[test]
    fn rules_length_and_depth_are_capped() {
        let rule = r#"{"location": "/x", "tdm-reservation": 1},"#;
        let many = format!(
            "[{}{{\"location\": \"/y\", \"tdm-reservation\": 1}}]",
            rule.repeat(1_000)
        );
        assert!(usage(&many, "/x").is_some());
        assert_eq!(usage(&many, "/y"), None);
        let long = format!("[{}{}1]", rule, " ".repeat(MOST_BYTES));
        assert_eq!(usage(&long, "/x"), None);
        let deep = format!("[{rule}{}{}]", "[".repeat(60_000), "]".repeat(60_000));
        assert!(usage(&deep, "/x").is_some());
        let location = "/".repeat(LONGEST_LOCATION + 1);
        assert_eq!(
            usage(
                &format!(r#"[{{"location": "{location}", "tdm-reservation": 1}}]"#),
                "///"
            ),
            None
        );
    }

    #[test]
    fn many_stars_take_linear_time() {
        let stars = "*a".repeat(900);
        let file = format!(r#"[{{"location": "/{stars}b", "tdm-reservation": 1}}]"#);
        assert_eq!(usage(&file, &format!("/{}", "a".repeat(100_000))), None);
    }

    #[test]
    fn lines_show_the_rules_without_control_characters() {
        let tdmrep = Tdmrep::parse(b"[{\"location\": \"/a\\n\\u001bb\", \"tdm-reservation\": 1}]");
        assert_eq!(tdmrep.lines(), ["tdmrep.json: /a b tdm-reservation 1"]);
        assert!(tdmrep.memory() > 0);
    }
}
