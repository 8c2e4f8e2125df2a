//! Python bindings of [`crate::scope`].

use std::sync::Arc;

use pyo3::prelude::*;

use super::error::to_python;
use super::text::Text;
use crate::clock::now;
use crate::scope::{self, Limits, Rules};
use crate::url::{Reason, parse};

#[pyclass(frozen, module = "hondius._native")]
pub struct LinkPolicy(pub Arc<scope::LinkPolicy>);

#[pymethods]
impl LinkPolicy {
    #[new]
    #[pyo3(
        signature = (*, scope, include=vec![], exclude=vec![], skip_extensions=vec![], requisites=false,
                     max_url_length=2000, max_segments=15, max_repeats=3, max_parameters=20, max_years_ahead=2, members_of=None),
        text_signature = "(*, scope, include=(), exclude=(), skip_extensions=(), requisites=False, \
                          max_url_length=2000, max_segments=15, max_repeats=3, max_parameters=20, max_years_ahead=2, members_of=None)"
    )]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python contract"
    )]
    fn new(
        scope: &str,
        include: Vec<String>,
        exclude: Vec<String>,
        skip_extensions: Vec<String>,
        requisites: bool,
        max_url_length: usize,
        max_segments: usize,
        max_repeats: usize,
        max_parameters: usize,
        max_years_ahead: u32,
        members_of: Option<&Bound<'_, LinkPolicy>>,
    ) -> PyResult<Self> {
        let rules = Rules {
            scope: scope.parse().map_err(to_python)?,
            include,
            exclude,
            skip_extensions,
            requisites,
            limits: Limits {
                url_length: max_url_length,
                segments: max_segments,
                parameters: max_parameters,
                repeats: max_repeats,
                years_ahead: max_years_ahead,
            },
        };
        scope::LinkPolicy::new(rules)
            .and_then(|policy| match members_of {
                Some(other) => policy.sharing(&other.get().0),
                None => Ok(policy),
            })
            .map(|policy| LinkPolicy(Arc::new(policy)))
            .map_err(to_python)
    }

    fn extend(&self, href: Text) -> PyResult<bool> {
        Ok(self.0.extend(pieces(&url(&href.0)?)?))
    }

    fn extend_lines(&self, py: Python<'_>, lines: &str) -> String {
        py.detach(|| {
            let mut joined: Vec<&str> = Vec::new();
            self.0.extend_all(lines.lines(), |href| joined.push(href));
            joined.join("\n")
        })
    }

    fn blacklist(&self, domain: Text) -> PyResult<()> {
        self.0.blacklist(&domain.0).map_err(to_python)
    }

    fn lift(&self, domain: Text) -> PyResult<()> {
        self.0.lift(&domain.0).map_err(to_python)
    }

    #[pyo3(signature = (href, at=None, is_seed=false))]
    fn judge(&self, href: Text, at: Option<f64>, is_seed: bool) -> PyResult<Option<&'static str>> {
        let url = url(&href.0)?;
        let at = at.unwrap_or_else(now);
        Ok(match is_seed {
            true => self.0.judge_seed(pieces(&url)?, at),
            false => self.0.judge(pieces(&url)?, at),
        })
    }

    fn bans(&self, href: Text) -> PyResult<bool> {
        Ok(self.0.bans(pieces(&url(&href.0)?)?))
    }
}

fn url(href: &str) -> PyResult<::url::Url> {
    parse(href, None).map_err(|reason: Reason| to_python(reason.into()))
}

fn pieces(url: &::url::Url) -> PyResult<scope::Pieces<'_>> {
    scope::Pieces::of(url.as_str()).ok_or_else(|| to_python(Reason::NoHost.into()))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<LinkPolicy>()
}
