//! Converts arguments from Python.

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

use crate::error::Error;
use crate::fetched::Kind;
use crate::focus::Following;
use crate::python::error::to_python;
use crate::python::text::Text;
use crate::url::Key;
use crate::url_store::Priorities;
use crate::url_store::attributes::Via;
use crate::url_store::budgets::{Answer, Visit, Visited};

/// What the end of a URL says about its host: key; href; `novel`, `stale`, `unnamed` (its host has no address), `unread` (a
/// page that was only fetched as a requisite), or why it was refused; hash of its text, if known; whether it had new links.
pub type VisitTuple = (
    PyBackedBytes,
    Text,
    PyBackedStr,
    Option<PyBackedBytes>,
    bool,
);

pub fn visit_of((key, href, word, text, has_new_links): &VisitTuple) -> PyResult<Visit<'_>> {
    let fetched = |is_novel| {
        let text = text.as_deref().map(key_of).transpose()?;
        Ok::<_, PyErr>(Visited::Fetched(Answer {
            is_novel,
            text,
            has_new_links: *has_new_links,
        }))
    };
    let visited = match &**word {
        "novel" => fetched(true)?,
        "stale" => fetched(false)?,
        "unnamed" => Visited::Unnamed,
        "unread" => Visited::Unread,
        reason => Visited::Refused(reason),
    };
    Ok(Visit {
        key: key_of(key)?,
        href: &href.0,
        visited,
    })
}

/// A priority for each URL: numbers from 0 to 1, or bytes in steps of 1/256.
#[derive(FromPyObject)]
pub enum PriorityList {
    Bytes(PyBackedBytes),
    Numbers(Vec<f64>),
}

/// The score of a page, the share of scores in priorities, and the threshold (D6).
pub fn following_of((page, weight, threshold): (f64, f64, f64)) -> Following {
    Following {
        page,
        weight,
        threshold,
    }
}

pub fn priorities_of(list: Option<PriorityList>, urls: usize) -> PyResult<Option<Priorities>> {
    let priorities = list.map(|list| match list {
        PriorityList::Bytes(steps) => Priorities::of_bytes(steps.to_vec()),
        PriorityList::Numbers(numbers) => Priorities::of_numbers(&numbers),
    });
    let checked = priorities.map(|priorities| priorities.checked(urls));
    checked.transpose().map_err(to_python)
}

pub fn via_of(name: &str) -> PyResult<Via> {
    Via::from_name(name).ok_or_else(|| invalid(format!("no way to find a URL: {name}")))
}

pub fn kind_of(name: &str) -> PyResult<Kind> {
    match name {
        "page" => Ok(Kind::Page),
        "sitemap" => Ok(Kind::Sitemap),
        "requisite" => Ok(Kind::Requisite),
        other => Err(invalid(format!(
            "{other} is not queued, only page, sitemap and requisite are"
        ))),
    }
}

pub fn key_of(bytes: &[u8]) -> PyResult<Key> {
    Key::try_from(bytes).map_err(|_| invalid(format!("a key has 16 bytes, not {}", bytes.len())))
}

/// The first 16 bytes of a body's hash.
pub fn content_of(hash: &[u8]) -> PyResult<Key> {
    let kept = hash.first_chunk().copied();
    kept.ok_or_else(|| {
        invalid(format!(
            "a content hash has at least 16 bytes, not {}",
            hash.len()
        ))
    })
}

pub fn invalid(message: String) -> PyErr {
    to_python(Error::Invalid(message))
}
