//! Numbers in texts: `1,234.56`, `1.234,56`, `1 234,56`, `CHF 1'234.–`, `12 items`.
//!
//! The first number of the text counts. If it has points and commas, the last mark is the decimal one. A mark that is there
//! several times separates thousands. A single comma before three digits separates thousands, a single point does not;
//! in a price it does, because prices have no three decimals.

/// The largest whole number that a double holds exactly.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;
/// Characters of a number.
const LONGEST: usize = 64;

pub fn parse(text: &str) -> Option<f64> {
    read(text, false)
}

pub fn parse_price(text: &str) -> Option<f64> {
    read(text, true)
}

/// `None` if it is not whole.
pub fn to_integer(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= MOST_EXACT).then_some(number as i64)
}

fn read(text: &str, is_price: bool) -> Option<f64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let (before, rest) = text.split_at(start);
    let is_fraction = before.ends_with('.') && !before.ends_with("..");
    let before = if is_fraction {
        &before[..before.len() - 1]
    } else {
        before
    };
    let written = match is_fraction {
        true => format!("0.{}", digits(rest)),
        false => Groups::split(rest).join(is_price),
    };
    let number: f64 = written.parse().ok()?;
    Some(if is_negative(before) { -number } else { number })
}

fn digits(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    &text[..end.min(LONGEST)]
}

/// A minus directly before the number or its currency, and not a hyphen between two words.
fn is_negative(before: &str) -> bool {
    let is_currency = |c: char| {
        !c.is_alphanumeric() && !matches!(c, '-' | '\u{2212}' | '(' | ')' | '.' | ',' | ':')
    };
    let before = before.trim_end_matches(is_currency);
    let Some(rest) = before.strip_suffix(['-', '\u{2212}']) else {
        return false;
    };
    !rest.ends_with(char::is_alphanumeric)
}

/// Groups of digits, and the marks between them.
struct Groups<'t> {
    groups: Vec<&'t str>,
    marks: Vec<char>,
}

impl<'t> Groups<'t> {
    fn split(text: &'t str) -> Self {
        let mut groups = vec![digits(text)];
        let mut marks = Vec::new();
        let mut rest = &text[groups[0].len()..];
        let mut length = groups[0].len();
        while let Some(mark) = rest.chars().next().filter(|c| is_mark(*c)) {
            let after = &rest[mark.len_utf8()..];
            let group = digits(after);
            let is_thousand = group.len() == 3 && groups[0].len() <= 3;
            length += 1 + group.len();
            if group.is_empty() || length > LONGEST || (!matches!(mark, '.' | ',') && !is_thousand)
            {
                break;
            }
            groups.push(group);
            marks.push(mark);
            rest = &after[group.len()..];
        }
        Groups { groups, marks }
    }

    /// The number as a program writes it.
    fn join(&self, is_price: bool) -> String {
        let groups = &self.groups;
        let decimal = self.find_decimal(is_price);
        match decimal {
            Some(index) => format!("{}.{}", groups[..=index].concat(), groups[index + 1]),
            None => groups.concat(),
        }
    }

    /// The index of the decimal mark.
    fn find_decimal(&self, is_price: bool) -> Option<usize> {
        let last = self.marks.len().checked_sub(1)?;
        let mark = self.marks[last];
        if !matches!(mark, '.' | ',') {
            return None;
        }
        let same = self.marks.iter().filter(|other| **other == mark).count();
        if same > 1 {
            let is_thousands = self.groups[1..].iter().all(|group| group.len() == 3);
            return if is_thousands {
                None
            } else {
                self.marks.iter().position(|other| *other == mark)
            };
        }
        let is_alone = last == 0;
        let may_be_thousand = (1..=3).contains(&self.groups[0].len())
            && !self.groups[0].starts_with('0')
            && self.groups[1].len() == 3;
        let is_thousand = is_alone && may_be_thousand && (is_price || mark == ',');
        (!is_thousand).then_some(last)
    }
}

fn is_mark(c: char) -> bool {
    matches!(
        c,
        '.' | ',' | '\'' | '\u{2019}' | ' ' | '\u{A0}' | '\u{202F}' | '\u{2009}'
    )
}
