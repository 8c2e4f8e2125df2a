//! Reads the text of a selector.

use super::compound::{Attribute, Compound, Condition, From, Test};
use super::nth::Nth;
use super::{Combinator, MOST_COMPOUNDS, Step};

/// `:not()` and `:is()` within each other.
const DEEPEST: usize = 4;
const KNOWN: &str = "first-child, last-child, only-child, nth-child(), nth-last-child(), the same with -of-type, not(), \
                     is(), has-text(), empty, root, scope";

pub fn parse(text: &str) -> Result<Vec<Step>, String> {
    let mut parser = Parser {
        rest: text,
        compounds: 0,
    };
    let mut steps = Vec::new();
    loop {
        parser.alternative(&mut steps)?;
        match parser.rest.chars().next() {
            None => return Ok(steps),
            Some(',') => parser.skip(1),
            Some(c) => {
                return Err(format!(
                    "{c:?} is not expected in a selector, before {:?}",
                    parser.rest
                ));
            }
        }
    }
}

struct Parser<'s> {
    rest: &'s str,
    compounds: usize,
}

impl Parser<'_> {
    fn alternative(&mut self, steps: &mut Vec<Step>) -> Result<(), String> {
        self.skip_spaces();
        let mut combinator = Combinator::First;
        loop {
            let compound = self.compound(0)?;
            let follows = self.combinator();
            steps.push(Step {
                combinator,
                compound,
                is_last: follows.is_none(),
            });
            match follows {
                Some(next) => combinator = next,
                None => return Ok(()),
            }
        }
    }

    /// `None` at the end of an alternative.
    fn combinator(&mut self) -> Option<Combinator> {
        let has_space = self.rest.starts_with(|c: char| c.is_ascii_whitespace());
        self.skip_spaces();
        let found = match self.rest.chars().next()? {
            '>' => Combinator::Child,
            '+' => Combinator::NextSibling,
            '~' => Combinator::LaterSibling,
            ',' => return None,
            _ if has_space => return Some(Combinator::Descendant),
            _ => return None,
        };
        self.skip(1);
        self.skip_spaces();
        Some(found)
    }

    fn compound(&mut self, depth: usize) -> Result<Compound, String> {
        self.compounds += 1;
        if self.compounds > MOST_COMPOUNDS {
            return Err(format!("the selector has more than {MOST_COMPOUNDS} parts"));
        }
        let mut compound = Compound::default();
        let before = self.rest.len();
        if self.rest.starts_with('*') {
            self.skip(1);
        } else if self.rest.starts_with(|c| is_name_start(c) || c == '\\') {
            compound.name = Some(self.name()?.to_ascii_lowercase().into());
        }
        while let Some(c) = self.rest.chars().next() {
            let condition = match c {
                '#' => {
                    self.skip(1);
                    Condition::Id(self.name()?)
                }
                '.' => {
                    self.skip(1);
                    Condition::Class(self.name()?)
                }
                '[' => Condition::Attribute(self.attribute()?),
                ':' => self.pseudo(depth)?,
                _ => break,
            };
            compound.conditions.push(condition);
        }
        if self.rest.len() == before {
            return Err(match self.rest.is_empty() {
                true => "a selector is expected, such as h1 or .price".to_owned(),
                false => format!("a selector is expected before {:?}", self.rest),
            });
        }
        Ok(compound)
    }

    fn attribute(&mut self) -> Result<Attribute, String> {
        self.skip(1);
        self.skip_spaces();
        let name = self.name()?.to_ascii_lowercase();
        self.skip_spaces();
        let test = self.attribute_test()?;
        let mut value = String::new();
        let mut ignores_case = false;
        if test != Test::Present {
            self.skip_spaces();
            value = self.value()?;
            self.skip_spaces();
            if self.rest.starts_with(['i', 'I', 's', 'S']) {
                ignores_case = self.rest.starts_with(['i', 'I']);
                self.skip(1);
                self.skip_spaces();
            }
        }
        self.expect(']')?;
        Ok(Attribute {
            name,
            test,
            value,
            ignores_case,
        })
    }

    fn attribute_test(&mut self) -> Result<Test, String> {
        const TESTS: [(&str, Test); 6] = [
            ("=", Test::Equals),
            ("~=", Test::Word),
            ("|=", Test::Language),
            ("^=", Test::Begins),
            ("$=", Test::Ends),
            ("*=", Test::Contains),
        ];
        if self.rest.starts_with(']') {
            return Ok(Test::Present);
        }
        let found = TESTS.iter().find(|(mark, _)| self.rest.starts_with(mark));
        let (mark, test) =
            found.ok_or("after the name of an attribute =, ~=, |=, ^=, $=, *= or ] is expected")?;
        self.skip(mark.len());
        Ok(*test)
    }

    fn pseudo(&mut self, depth: usize) -> Result<Condition, String> {
        self.skip(1);
        if self.rest.starts_with(':') {
            return Err(format!(
                ":{} is not part of CSS: the text is taken anyway; write attr = \"href\" for an attribute",
                self.rest
            ));
        }
        let name = self.name()?.to_ascii_lowercase();
        if !self.rest.starts_with('(') {
            return match name.as_str() {
                "first-child" => Ok(Condition::Position(From::Start, Nth::FIRST)),
                "last-child" => Ok(Condition::Position(From::End, Nth::FIRST)),
                "first-of-type" => Ok(Condition::Position(From::StartOfType, Nth::FIRST)),
                "last-of-type" => Ok(Condition::Position(From::EndOfType, Nth::FIRST)),
                "only-child" => Ok(Condition::OnlyChild),
                "only-of-type" => Ok(Condition::OnlyOfType),
                "empty" => Ok(Condition::Empty),
                "root" => Ok(Condition::Root),
                "scope" => Ok(Condition::Scope),
                _ => Err(format!(":{name} is not supported: there are {KNOWN}")),
            };
        }
        self.skip(1);
        self.skip_spaces();
        let condition = match name.as_str() {
            "nth-child" => Condition::Position(From::Start, self.nth()?),
            "nth-last-child" => Condition::Position(From::End, self.nth()?),
            "nth-of-type" => Condition::Position(From::StartOfType, self.nth()?),
            "nth-last-of-type" => Condition::Position(From::EndOfType, self.nth()?),
            "has-text" | "contains" => Condition::HasText(self.text_argument()?),
            "not" => Condition::Not(self.compounds(depth)?),
            "is" | "where" | "matches" => Condition::Is(self.compounds(depth)?),
            _ => return Err(format!(":{name}() is not supported: there are {KNOWN}")),
        };
        self.skip_spaces();
        self.expect(')')?;
        Ok(condition)
    }

    fn nth(&mut self) -> Result<Nth, String> {
        let end = self.rest.find(')').unwrap_or(self.rest.len());
        let argument = &self.rest[..end];
        let nth = Nth::parse(argument).ok_or_else(|| {
            format!("{argument:?} is no position: write one such as 2, odd or 2n+1")
        })?;
        self.skip(end);
        Ok(nth)
    }

    fn text_argument(&mut self) -> Result<String, String> {
        let text = match self.rest.starts_with(['"', '\'']) {
            true => self.value()?,
            false => {
                let end = self.rest.find(')').unwrap_or(self.rest.len());
                let text = self.rest[..end].trim().to_owned();
                self.skip(end);
                text
            }
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.is_empty() {
            true => Err(":has-text() needs a text, such as :has-text(\"In stock\")".to_owned()),
            false => Ok(words.join(" ").to_lowercase()),
        }
    }

    /// Alternatives without combinators, in `:not()` and `:is()`.
    fn compounds(&mut self, depth: usize) -> Result<Vec<Compound>, String> {
        if depth >= DEEPEST {
            return Err(format!(
                "more than {DEEPEST} of :not() and :is() are within each other"
            ));
        }
        let mut list = Vec::new();
        loop {
            self.skip_spaces();
            list.push(self.compound(depth + 1)?);
            self.skip_spaces();
            match self.rest.chars().next() {
                Some(',') => self.skip(1),
                Some(')') => return Ok(list),
                _ => {
                    return Err(
                        "in :not() and :is(), alternatives without spaces, >, + and ~ are expected"
                            .to_owned(),
                    );
                }
            }
        }
    }

    /// A name, or a text in quotes.
    fn value(&mut self) -> Result<String, String> {
        let Some(quote @ ('"' | '\'')) = self.rest.chars().next() else {
            return self
                .name()
                .map_err(|_| format!("a value in quotes is expected before {:?}", self.rest));
        };
        self.skip(1);
        let mut value = String::new();
        while let Some(c) = self.rest.chars().next() {
            self.skip(c.len_utf8());
            match c {
                '\\' => value.push(self.escaped()?),
                c if c == quote => return Ok(value),
                c => value.push(c),
            }
        }
        Err(format!("the text {value:?} has no closing {quote}"))
    }

    fn name(&mut self) -> Result<String, String> {
        let mut name = String::new();
        while let Some(c) = self.rest.chars().next() {
            if c == '\\' {
                self.skip(1);
                name.push(self.escaped()?);
            } else if is_name_start(c) || c.is_ascii_digit() {
                self.skip(c.len_utf8());
                name.push(c);
            } else {
                break;
            }
        }
        match name.is_empty() {
            true => Err(format!("a name is expected before {:?}", self.rest)),
            false => Ok(name),
        }
    }

    /// What follows a backslash: up to six hexadecimal digits and a space, or any character.
    fn escaped(&mut self) -> Result<char, String> {
        let digits = self
            .rest
            .bytes()
            .take(6)
            .take_while(u8::is_ascii_hexdigit)
            .count();
        if digits == 0 {
            let c = self
                .rest
                .chars()
                .next()
                .ok_or("nothing follows the last backslash")?;
            self.skip(c.len_utf8());
            return Ok(c);
        }
        let code = u32::from_str_radix(&self.rest[..digits], 16).unwrap_or_default();
        self.skip(digits);
        if self.rest.starts_with(|c: char| c.is_ascii_whitespace()) {
            self.skip(1);
        }
        Ok(char::from_u32(code)
            .filter(|c| *c != '\0')
            .unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn expect(&mut self, mark: char) -> Result<(), String> {
        if !self.rest.starts_with(mark) {
            return Err(match self.rest.is_empty() {
                true => format!("{mark:?} is missing at the end"),
                false => format!("{mark:?} is expected before {:?}", self.rest),
            });
        }
        self.skip(1);
        Ok(())
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    /// `bytes` end at the end of a character.
    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '-') || !c.is_ascii()
}
