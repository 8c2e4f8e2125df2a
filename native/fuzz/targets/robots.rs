//! robots.txt: any bytes are one, and rules match as trying everything would.

use hondius_native::robots::Robots;

use super::{Target, Verdict, choice, must};

const SHORT: usize = 20;

pub struct RobotsTxt;

/// Every way to spread the stars, by the set of lengths that a beginning of the pattern can match.
fn matches(pattern: &str, path: &str) -> bool {
    let path = path.as_bytes();
    let mut lengths = vec![false; path.len() + 1];
    lengths[0] = true;
    for byte in pattern.trim_end_matches('$').bytes() {
        lengths = (0..lengths.len())
            .map(|length| match byte {
                b'*' => lengths[..=length].contains(&true),
                byte => length > 0 && lengths[length - 1] && path[length - 1] == byte,
            })
            .collect();
    }
    match pattern.ends_with('$') {
        true => lengths[path.len()],
        false => lengths.contains(&true),
    }
}

/// Over a small alphabet, so that patterns match now and then.
fn spelt(bytes: &[u8], alphabet: &[u8]) -> String {
    let letters = bytes
        .iter()
        .take(SHORT)
        .map(|byte| alphabet[*byte as usize % alphabet.len()]);
    std::iter::once('/')
        .chain(letters.map(char::from))
        .collect()
}

fn check_matching(input: &[u8]) -> Verdict {
    let (one, other) = input.split_at(input.len() / 2);
    let pattern = spelt(one, b"ab*/a*b");
    let pattern = if input.len() % 3 == 0 {
        format!("{pattern}$")
    } else {
        pattern
    };
    let path = spelt(other, b"ab/");
    let robots = Robots::parse(
        format!("User-agent: *\nDisallow: {pattern}").as_bytes(),
        "hondius",
    );
    let expected = !matches(&pattern, &path);
    must(robots.allowed(&path).allowed == expected, || {
        format!("match: {pattern} and {path}")
    })
}

/// The fields of usage preferences under names that mean nothing.
fn without_usage(body: &[u8]) -> Vec<u8> {
    let mut body = body.to_vec();
    let mut at_start = true;
    for position in 0..body.len() {
        let rest = &body[position..];
        let names: [&[u8]; 4] = [b"content-signal", b"content-usage", b"license", b"licence"];
        let is_usage = names.iter().any(|name| {
            rest.get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
        });
        if at_start && is_usage {
            body[position] = b'x';
        }
        at_start = match body[position] {
            b'\n' | b'\r' => true,
            byte => at_start && byte.is_ascii_whitespace(),
        };
    }
    body
}

/// Signals are lines of their own form, and change nothing about what is allowed (W1).
fn check_usage(robots: &Robots, body: &[u8], path: &str) -> Verdict {
    let usage = robots.usage(path).unwrap_or_default();
    must(
        usage.is_empty() || usage.split('\n').all(|line| line.starts_with("robots ")),
        || format!("usage: {usage}"),
    )?;
    must(
        !usage.contains(|character: char| character.is_control() && character != '\n'),
        || format!("control: {usage}"),
    )?;
    let is_wide = matches!(body, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]);
    let plain = Robots::parse(&without_usage(body), "hondius");
    must(
        is_wide || plain.allowed(path).allowed == robots.allowed(path).allowed,
        || format!("usage: changes the verdict of {path}"),
    )
}

impl Target for RobotsTxt {
    fn name(&self) -> &'static str {
        "robots"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            "\0User-agent: *\nDisallow: /a*b$\nAllow: /a/index.html\nCrawl-delay: 2.5\nSitemap: /s.xml\n\n/a/b?c",
            "\0\u{feff}user agent hondius\r\ndisalow /%7e\rAllow:/~x\n\n/~x",
            "\x01ab*a*b/*bab*/ba/ab",
            "\0User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: /a* train-ai=n;x=\"y\"\nLicense: /l\nAllow: /\n\n/a/b",
        ]
        .map(|seed| seed.as_bytes().to_vec())
        .to_vec()
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "User-agent: *\n",
            "User-agent: hondius\n",
            "Disallow: ",
            "Allow: ",
            "Sitemap: ",
            "Crawl-delay: ",
            "Content-Signal: ",
            "Content-Usage: ",
            "License: ",
            "ai-train=no",
            "train-ai=n, ",
            "=",
            "/",
            "*",
            "$",
            "%2F",
            "%",
            "#",
            ":",
            "\n\n",
            "\r",
            " ",
            "\u{e9}",
            "/robots.txt",
            "index.html",
            "**",
            "*$",
        ]
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let (way, rest) = choice(input);
        if way % 2 == 1 {
            return check_matching(rest);
        }
        let end = rest
            .windows(2)
            .rposition(|pair| pair == b"\n\n")
            .unwrap_or(rest.len());
        let (body, path) = rest.split_at(end);
        let robots = Robots::parse(body, "hondius");
        let path = String::from_utf8_lossy(path);
        check_usage(&robots, body, path.trim())?;
        let verdict = robots.allowed(path.trim());
        must(verdict.allowed || verdict.line > 0, || {
            "line: a refusal without a rule".into()
        })?;
        let delay = robots.crawl_delay().unwrap_or_default();
        must(delay.is_finite() && delay >= 0.0, || {
            format!("delay: {delay}")
        })?;
        must(robots.allowed("/robots.txt").allowed, || {
            "itself: is blocked".into()
        })
    }
}
