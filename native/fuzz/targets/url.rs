//! URLs: an href is its own href, a key form its own key form, whatever is switched on.

use hondius_native::url::{Identity, Switches, Version, path_and_query, registrable_domain};
use url::Url;

use super::{Target, Verdict, choice, must};

pub struct Urls;

impl Urls {
    fn check(&self, url: &Url, identity: &Identity) -> Verdict {
        let again = identity
            .parse(url.as_str(), None)
            .map_err(|reason| format!("href: {url} is none, {reason}"))?;
        must(again == *url, || format!("href: {url} becomes {again}"))?;
        must(
            url.fragment().is_none() && url.username().is_empty(),
            || format!("private: {url}"),
        )?;
        must(path_and_query(url).starts_with('/'), || {
            format!("path: of {url}")
        })?;
        let form = identity.key_form(url);
        let parsed = identity
            .parse(&form, None)
            .map_err(|reason| format!("form: {form} of {url}, {reason}"))?;
        must(parsed.as_str() == form, || {
            format!("form: {form} parses to {parsed}")
        })?;
        let second = identity.key_form(&parsed);
        must(second == form, || {
            format!("idempotence: {url}, {form}, {second}")
        })?;
        must(identity.key_of(url) == identity.key(&form), || {
            format!("key: of {url}")
        })?;
        let host = url.host_str().unwrap_or_default();
        let domain = registrable_domain(host).unwrap_or_default();
        must(host.trim_end_matches('.').ends_with(domain), || {
            format!("domain: {domain} of {host}")
        })
    }
}

impl Target for Urls {
    fn name(&self) -> &'static str {
        "url"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            "\x07http://www.example.co.uk/a/../b;jsessionid=1/index.html?b=1&utm_source=x&a=2#c\nhttp://h.test/",
            "\x3F../x?sid=0123456789abcdef&%7e=%2f\nhttps://me:pw@h.test:8443/a/b/?q",
            "\x00//b\u{fc}cher.example/\u{e9}?\u{e9}\nhttp://h.test/x",
            "\x08HTTP:\\\\[::1]:80\\x\nhttp://h.test/",
            "\x15http://0x7f.1/%zz?&&=&a\nhttp://h.test/",
            "\x3Fmailto:x@y\nhttp://h.test/",
            "\x21../b\nhttp://www.xn--a.xn--/c",
            "\x0F/(S(lit3py55t21z5v55vlm25s55))/x^y?CFID=1&CFTOKEN=2&a[]={`|}&session_id=3\nhttp://h.test./",
            "\x07//me@%58n--Pokxncvks:81\\b\nhttps://h.test/",
        ]
        .map(|seed| seed.as_bytes().to_vec())
        .to_vec()
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "http://",
            "https:",
            "//",
            "www.",
            "xn--",
            "%2e",
            "%2F",
            "%",
            "..",
            "/./",
            "?",
            "&",
            "=",
            ";",
            "#",
            "@",
            ":",
            ":80",
            "[",
            "]",
            "::",
            "utm_source=",
            "gclid=",
            ";jsessionid=",
            "PHPSESSID=",
            "sid=",
            "index.html",
            "index.php",
            "\u{fc}",
            "\u{3002}",
            "\\",
            "\t",
            "+",
            "%20",
            "0x",
            "%41",
            "%C3%BC",
            "\u{ad}",
            "\u{200d}",
        ]
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let (bits, rest) = choice(input);
        let switches = Switches {
            version: match bits & 64 {
                0 => Version::Second,
                _ => Version::First,
            },
            sort_query: bits & 1 != 0,
            drop_tracking: bits & 2 != 0,
            drop_session: bits & 4 != 0,
            drop_index: bits & 8 != 0,
            drop_trailing_slash: bits & 16 != 0,
            drop_www: bits & 32 != 0,
        };
        let identity = Identity::new(switches);
        let text = String::from_utf8_lossy(rest);
        let (text, base) = text.split_once('\n').unwrap_or((&text, ""));
        let base = identity.parse(base, None).ok();
        let url = identity.parse(text, base.as_ref()).ok();
        if let (Some(base), resolved) = (&base, &url) {
            let found = identity.resolve(base, text).map(|(url, _)| url);
            must(found == *resolved, || {
                format!("resolve: {found:?} and {resolved:?}")
            })?;
        }
        url.map_or(Ok(()), |url| self.check(&url, &identity))
    }
}
