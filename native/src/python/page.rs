//! Python bindings of [`crate::html`] and [`crate::page`].

use std::sync::Arc;

use encoding_rs::Encoding;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use super::error::to_python;
use super::url::Identity;
use super::url_store::{StoreHandle, following_of};
use crate::engine::{Analyse, head};
use crate::error::Error;
use crate::focus::Keywords;
use crate::page::{self, LinkKind, ReadOptions, TextHash, directive, rel};
use crate::read_ahead::ReadingAhead;
use crate::url::Key;
use crate::{charset, html, media_type, url};

#[pyclass(frozen, module = "hondius._native")]
pub struct Link(pub page::Link);

#[pymethods]
impl Link {
    #[getter]
    fn href(&self) -> &str {
        &self.0.href
    }

    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.key)
    }

    #[getter]
    fn kind(&self) -> &'static str {
        name_of(self.0.kind)
    }

    #[getter]
    fn nofollow(&self) -> bool {
        self.0.rel != 0
    }

    #[getter]
    fn rel(&self) -> String {
        let words = [
            (rel::NOFOLLOW, "nofollow"),
            (rel::UGC, "ugc"),
            (rel::SPONSORED, "sponsored"),
        ];
        let said = words.iter().filter(|(bit, _)| self.0.rel & bit != 0);
        said.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    }

    #[getter]
    fn anchor(&self) -> &str {
        &self.0.anchor
    }
}

/// Converts links to Python objects, which few callers need.
pub fn list_of<'py>(py: Python<'py>, links: &[page::Link]) -> PyResult<Bound<'py, PyList>> {
    let links = links.iter().cloned().map(Link);
    PyList::new(
        py,
        links
            .map(|link| Py::new(py, link))
            .collect::<PyResult<Vec<_>>>()?,
    )
}

fn name_of(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Anchor => "anchor",
        LinkKind::Area => "area",
        LinkKind::Canonical => "canonical",
        LinkKind::Alternate => "alternate",
        LinkKind::Next => "next",
        LinkKind::Previous => "previous",
        LinkKind::Feed => "feed",
        LinkKind::Frame => "frame",
        LinkKind::Refresh => "refresh",
        LinkKind::Header => "header",
        LinkKind::Media => "media",
        LinkKind::Script => "script",
        LinkKind::Sitemap => "sitemap",
    }
}

/// Links become Python objects on demand: those of most pages never do.
#[pyclass(frozen, module = "hondius._native")]
pub struct Page(pub Arc<page::Page>);

#[pymethods]
impl Page {
    #[getter]
    fn charset(&self) -> &'static str {
        self.0.charset
    }

    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    #[getter]
    fn description(&self) -> &str {
        &self.0.description
    }

    #[getter]
    fn canonical(&self) -> Option<&str> {
        self.0.canonical.as_deref()
    }

    #[getter]
    fn language(&self) -> &str {
        &self.0.language
    }

    #[getter]
    fn nofollow(&self) -> bool {
        self.0.directives & directive::NOFOLLOW != 0
    }

    #[getter]
    fn noindex(&self) -> bool {
        self.0.directives & directive::NOINDEX != 0
    }

    #[getter]
    fn noarchive(&self) -> bool {
        self.0.directives & directive::NOARCHIVE != 0
    }

    #[getter]
    fn usage(&self) -> Option<&str> {
        Some(self.0.usage.as_str()).filter(|lines| !lines.is_empty())
    }

    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    #[getter]
    fn main_text(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.main_text())
    }

    #[getter]
    fn content_text(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.content_text())
    }

    #[getter]
    fn compared_text(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.compared_text())
    }

    #[getter]
    fn language_detected(&self, py: Python<'_>) -> &'static str {
        py.detach(|| self.0.detected_language())
    }

    #[getter]
    fn open_graph(&self) -> Vec<(String, String)> {
        self.0.open_graph.clone()
    }

    #[getter]
    fn headings(&self) -> Vec<(u8, String)> {
        self.0.headings.clone()
    }

    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list_of(py, &self.0.links)
    }

    #[getter]
    fn requisites(&self) -> Vec<&str> {
        let requisites = self.0.requisites.iter();
        requisites.map(|one| one.href.as_str()).collect()
    }

    #[getter]
    fn links_found(&self) -> u32 {
        self.0.links_found
    }

    #[getter]
    fn simhash(&self) -> Option<u64> {
        self.0.simhash
    }

    #[getter]
    fn sketch<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.0
            .sketch
            .as_ref()
            .map(|sketch| PyBytes::new(py, sketch))
    }

    #[getter]
    fn change_hash<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.0
            .change_hash
            .as_ref()
            .map(|hash| PyBytes::new(py, hash))
    }

    #[getter]
    fn text_hash<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let hash = self.0.text_hash.as_ref()?;
        Some(match hash {
            TextHash::Empty => PyBytes::new(py, &[]),
            TextHash::Of(hash) => PyBytes::new(py, hash),
        })
    }

    #[getter]
    fn focus(&self) -> Option<f64> {
        self.0.focus.as_ref().map(|focus| focus.score)
    }

    #[getter]
    fn quality(&self) -> Option<f64> {
        self.0.quality
    }

    #[getter]
    fn link_focus(&self) -> Option<Vec<f64>> {
        let focus = self.0.focus.as_ref()?;
        let links = 0..focus.links.len();
        Some(links.filter_map(|number| focus.link(number)).collect())
    }

    #[pyo3(signature = (following, *, follow_nofollow))]
    fn count_unfollowed(&self, following: (f64, f64, f64), follow_nofollow: bool) -> usize {
        let following = following_of(following);
        self.0.count_unfollowed(&following, follow_nofollow)
    }

    #[getter]
    fn slow_road(&self) -> bool {
        self.0.slow_road
    }
}

#[pyclass(frozen, module = "hondius._native")]
pub struct Reader {
    pub reader: Arc<html::Reader>,
    /// The store that is read ahead for the links of pages, if there is one.
    pub ahead: Option<Arc<ReadingAhead>>,
}

impl Reader {
    pub fn analyser(&self) -> Arc<dyn Analyse> {
        match &self.ahead {
            Some(ahead) => ahead.clone(),
            None => self.reader.clone(),
        }
    }

    /// Reads ahead for a page that is read again, on a thread that may wait.
    pub fn read_ahead<'a>(&self, urls: impl Iterator<Item = (&'a str, Key)>, named_by: &str) {
        if let Some(ahead) = &self.ahead
            && let Some(cold) = ahead.of_links(urls, named_by)
        {
            ahead.read(cold);
        }
    }
}

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (identity, *, agent_token, media=false, scripts=false, requisites=false,
                        max_links=327_680, max_text=1_000_000, want_text=true, store=None, keywords=Vec::new()),
           text_signature = "(identity, *, agent_token, media=False, scripts=False, requisites=False, \
                             max_links=327680, max_text=1000000, want_text=True, store=None, keywords=())")]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python contract"
    )]
    fn new(
        identity: &Identity,
        agent_token: String,
        media: bool,
        scripts: bool,
        requisites: bool,
        max_links: usize,
        max_text: usize,
        want_text: bool,
        store: Option<&Bound<'_, StoreHandle>>,
        keywords: Vec<(String, f64)>,
    ) -> PyResult<Self> {
        let keywords = match keywords.is_empty() {
            true => None,
            false => {
                let made = Keywords::new(&keywords);
                Some(Arc::new(
                    made.map_err(|why| to_python(Error::Invalid(why)))?,
                ))
            }
        };
        let options = ReadOptions {
            agent_token,
            media,
            scripts,
            requisites,
            max_links,
            max_text,
            want_text,
            keywords,
        };
        let reader = Arc::new(html::Reader::new(identity.0.clone(), options));
        let ahead = store.map(|store| {
            let store = store.get().0.clone();
            Arc::new(ReadingAhead::new(reader.clone(), store))
        });
        Ok(Reader { reader, ahead })
    }

    #[pyo3(signature = (body, *, url, content_type="", headers=Vec::new()),
           text_signature = "($self, body, *, url, content_type='', headers=())")]
    fn read(
        &self,
        py: Python<'_>,
        body: &[u8],
        url: &str,
        content_type: &str,
        headers: Vec<(String, String)>,
    ) -> PyResult<Page> {
        let url = url::parse(url, None).map_err(|reason| to_python(Error::from(reason)))?;
        let page = py.detach(|| self.reader.read(body, &url, content_type, &headers));
        Ok(Page(Arc::new(page)))
    }

    #[pyo3(signature = (head, body, *, url))]
    fn read_archived(&self, py: Python<'_>, head: &[u8], body: &[u8], url: &str) -> PyResult<Page> {
        let url = url::parse(url, None).map_err(|reason| to_python(Error::from(reason)))?;
        let page = py.detach(|| {
            let headers = head::parse(head).map_or_else(|_| Vec::new(), |head| head.headers);
            let content_type = media_type::declared_or_sniffed(&headers, body);
            self.reader.read(body, &url, content_type, &headers)
        });
        Ok(Page(Arc::new(page)))
    }
}

#[pyfunction]
fn decode_text(py: Python<'_>, body: &[u8], charset: &str) -> Option<String> {
    let encoding = Encoding::for_label_no_replacement(charset.as_bytes())?;
    Some(py.detach(|| charset::decode(body, encoding).into_owned()))
}

/// Headers of a response head, from an archive that anyone may have written: never an exception.
#[pyfunction]
fn parse_headers(head: &[u8]) -> Vec<(String, String)> {
    head::parse(head).map_or_else(|_| Vec::new(), |head| head.headers)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("TEXT_VERSION", html::TEXT_VERSION)?;
    module.add_class::<Link>()?;
    module.add_class::<Page>()?;
    module.add_class::<Reader>()?;
    module.add_function(wrap_pyfunction!(parse_headers, module)?)?;
    module.add_function(wrap_pyfunction!(decode_text, module)?)
}
