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

impl Target for RobotsTxt {
    fn name(&self) -> &'static str {
        "robots"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            "\0User-agent: *\nDisallow: /a*b$\nAllow: /a/index.html\nCrawl-delay: 2.5\nSitemap: /s.xml\n\n/a/b?c",
            "\0\u{feff}user agent hondius\r\ndisalow /%7e\rAllow:/~x\n\n/~x",
            "\x01ab*a*b/*bab*/ba/ab",
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
        let verdict = robots.allowed(String::from_utf8_lossy(path).trim());
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
