//! Host patterns: `*`, `*.example.com` (every name under it, not itself), `example.com`; and the same with a scheme
//! before them: `https://*.example.com`.

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};

/// Values by host pattern. An exact name takes precedence over a suffix, a longer suffix over a shorter one, and `*`
/// comes last. A look-up costs one hash per label, however many patterns there are.
#[derive(Debug)]
pub struct ByHost<T> {
    exact: FxHashMap<String, T>,
    suffix: FxHashMap<String, T>,
    any: Option<T>,
}

impl<T> Default for ByHost<T> {
    fn default() -> Self {
        ByHost {
            exact: FxHashMap::default(),
            suffix: FxHashMap::default(),
            any: None,
        }
    }
}

impl<T> ByHost<T> {
    /// The value of a pattern; created by `new` if it does not exist yet.
    pub fn slot(&mut self, pattern: &str, new: impl FnOnce() -> T) -> Result<&mut T> {
        if pattern == "*" {
            return Ok(self.any.get_or_insert_with(new));
        }
        let pattern = normal(pattern);
        let (map, name) = match pattern.strip_prefix("*.") {
            Some(suffix) => (&mut self.suffix, suffix.to_owned()),
            None => (&mut self.exact, pattern.clone()),
        };
        if name.is_empty() || name.contains('*') || name.contains(char::is_whitespace) {
            return Err(Error::Invalid(format!(
                "{pattern:?} is no host pattern: write example.com, *.example.com or *"
            )));
        }
        Ok(map.entry(name).or_insert_with(new))
    }

    /// The value of the most specific pattern that covers `host`.
    pub fn best(&self, host: &str) -> Option<&T> {
        self.all(host).next()
    }

    /// Every value whose pattern covers `host` (in normal form), most specific first.
    pub fn all<'a, 'b>(&'a self, host: &'b str) -> impl Iterator<Item = &'a T> + use<'a, 'b, T> {
        let suffixes = host
            .match_indices('.')
            .filter_map(|(dot, _)| self.suffix.get(&host[dot + 1..]));
        self.exact
            .get(host)
            .into_iter()
            .chain(suffixes)
            .chain(self.any.as_ref())
    }

    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.suffix.is_empty() && self.any.is_none()
    }
}

/// Values by scheme and host pattern. The host pattern decides first; of two values for the same pattern, the one with
/// a scheme takes precedence. The last value of a pattern counts.
#[derive(Debug)]
pub struct ByOrigin<T>(ByHost<BySchemes<T>>);

#[derive(Debug)]
struct BySchemes<T> {
    any: Option<T>,
    http: Option<T>,
    https: Option<T>,
}

impl<T> Default for ByOrigin<T> {
    fn default() -> Self {
        ByOrigin(ByHost::default())
    }
}

impl<T> ByOrigin<T> {
    pub fn set(&mut self, pattern: &str, value: T) -> Result<()> {
        let (scheme, host) = match pattern.split_once("://") {
            Some((scheme, host)) => (Some(scheme), host),
            None => (None, pattern),
        };
        let schemes = self.0.slot(host, || BySchemes {
            any: None,
            http: None,
            https: None,
        })?;
        let slot = match scheme {
            None => &mut schemes.any,
            Some("http") => &mut schemes.http,
            Some("https") => &mut schemes.https,
            Some(_) => {
                return Err(Error::Invalid(format!(
                    "{pattern:?} names no scheme of the web: write http:// or https:// before the host"
                )));
            }
        };
        *slot = Some(value);
        Ok(())
    }

    pub fn get(&self, secure: bool, host: &str) -> Option<&T> {
        self.0.all(host).find_map(|schemes| {
            let own = if secure {
                &schemes.https
            } else {
                &schemes.http
            };
            own.as_ref().or(schemes.any.as_ref())
        })
    }
}

/// Normal form of a host name, used as a map key: lower case, without final dot and without brackets.
pub fn normal(host: &str) -> String {
    let host = host.strip_suffix('.').unwrap_or(host);
    let host = host
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'))
        .unwrap_or(host);
    host.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(rows: &[&str]) -> ByHost<String> {
        let mut map = ByHost::default();
        for row in rows {
            map.slot(row, || (*row).to_owned()).unwrap();
        }
        map
    }

    #[test]
    fn the_most_specific_pattern_comes_first() {
        let map = patterns(&["*", "*.example.com", "*.a.example.com", "b.a.example.com"]);
        let found: Vec<&String> = map.all("b.a.example.com").collect();
        assert_eq!(
            found,
            ["b.a.example.com", "*.a.example.com", "*.example.com", "*"]
        );
        assert_eq!(map.best("example.com").unwrap(), "*");
    }

    #[test]
    fn a_suffix_does_not_cover_itself_nor_a_name_that_merely_ends_so() {
        let map = patterns(&["*.example.com"]);
        assert!(map.best("example.com").is_none());
        assert!(map.best("badexample.com").is_none());
        assert!(map.best("www.example.com").is_some());
    }

    #[test]
    fn n3_a_scheme_narrows_a_pattern_and_the_host_decides_first() {
        let mut map = ByOrigin::default();
        for pattern in [
            "*",
            "https://*",
            "*.a.com",
            "https://*.b.com",
            "http://x.b.com",
        ] {
            map.set(pattern, pattern.to_owned()).unwrap();
        }
        let get = |secure, host: &str| map.get(secure, host).unwrap().as_str();
        assert_eq!(get(false, "c.com"), "*");
        assert_eq!(get(true, "c.com"), "https://*");
        assert_eq!(get(true, "www.a.com"), "*.a.com");
        assert_eq!(get(true, "x.b.com"), "https://*.b.com");
        assert_eq!(get(false, "x.b.com"), "http://x.b.com");
        assert_eq!(get(false, "y.b.com"), "*");
        assert!(map.set("ftp://c.com", String::new()).is_err());
        assert!(map.set("https://", String::new()).is_err());
    }

    #[test]
    fn patterns_that_mean_nothing_are_refused() {
        let mut map: ByHost<()> = ByHost::default();
        for pattern in ["", "*.", "a*b.com", "*.*.com", "a b"] {
            assert!(map.slot(pattern, || ()).is_err(), "{pattern:?}");
        }
    }
}
