//! Python bindings of [`crate::links`].

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyList};

use super::error::to_python;
use super::page::{self, Page};
use super::url::Identity;
use crate::error::Error;
use crate::links::{self, Source};
use crate::page::{Page as NativePage, directive};
use crate::url::Key;

#[pyclass(frozen, get_all, module = "hondius._native")]
struct LinkBlocks {
    data: Py<PyBytes>,
    places: Vec<(u64, u32)>,
}

#[pyclass(frozen, module = "hondius._native")]
struct PageLinks(Arc<links::PageLinks>);

#[pymethods]
impl PageLinks {
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.key)
    }

    #[getter]
    fn href(&self) -> &str {
        &self.0.href
    }

    #[getter]
    fn nofollow(&self) -> bool {
        self.0.directives & directive::NOFOLLOW != 0
    }

    #[getter]
    fn count(&self) -> usize {
        self.0.links.len()
    }

    #[getter]
    fn left_out(&self) -> u32 {
        self.0.left_out
    }

    #[getter]
    fn has_same_keys(&self) -> bool {
        self.0.has_same_keys
    }

    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        page::list_of(py, &self.0.links)
    }

    fn has_link_to(&self, key: &[u8]) -> bool {
        self.0.links.iter().any(|link| link.key[..] == *key)
    }
}

/// The links of a page: from an analysis, or from a segment.
#[derive(FromPyObject)]
enum Links<'py> {
    Read(Bound<'py, Page>),
    Kept(Bound<'py, PageLinks>),
}

enum Found {
    Read(Arc<NativePage>),
    Kept(Arc<links::PageLinks>),
}

struct Owned {
    key: Key,
    href: String,
    found: Found,
}

impl Owned {
    fn new((key, href, links): (PyBackedBytes, String, Links<'_>)) -> PyResult<Self> {
        let key = Key::try_from(&*key)
            .map_err(|_| to_python(Error::Invalid(String::from("a key has 16 bytes"))))?;
        let found = match links {
            Links::Read(page) => Found::Read(page.get().0.clone()),
            Links::Kept(kept) => Found::Kept(kept.get().0.clone()),
        };
        Ok(Owned { key, href, found })
    }

    fn source(&self) -> Source<'_> {
        let (directives, links) = match &self.found {
            Found::Read(page) => (page.directives, &page.links),
            Found::Kept(kept) => (kept.directives, &kept.links),
        };
        Source {
            key: self.key,
            href: &self.href,
            directives,
            links,
        }
    }
}

#[pyfunction]
fn link_header(py: Python<'_>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, &links::header())
}

#[pyfunction]
fn check_link_header(data: &[u8]) -> PyResult<()> {
    links::check_header(data).map_err(to_python)
}

#[pyfunction]
fn link_blocks(
    py: Python<'_>,
    pages: Vec<(PyBackedBytes, String, Links<'_>)>,
    base_offset: u64,
) -> PyResult<LinkBlocks> {
    let pages: Vec<Owned> = pages.into_iter().map(Owned::new).collect::<PyResult<_>>()?;
    let blocks = py.detach(|| {
        let sources: Vec<_> = pages.iter().map(Owned::source).collect();
        links::write(&sources, base_offset)
    });
    let blocks = blocks.map_err(to_python)?;
    let places = blocks.places.iter();
    Ok(LinkBlocks {
        data: PyBytes::new(py, &blocks.data).unbind(),
        places: places.map(|place| (place.offset, place.index)).collect(),
    })
}

#[pyfunction]
fn link_block_bytes(head: &[u8]) -> PyResult<usize> {
    links::block_bytes(head).map_err(to_python)
}

#[pyfunction]
fn read_links(
    py: Python<'_>,
    block: PyBackedBytes,
    identity: &Identity,
) -> PyResult<Vec<PageLinks>> {
    let pages = py.detach(|| links::read(&block, &identity.0));
    let pages = pages.map_err(to_python)?.into_iter();
    Ok(pages.map(|page| PageLinks(Arc::new(page))).collect())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<LinkBlocks>()?;
    module.add_class::<PageLinks>()?;
    module.add_function(wrap_pyfunction!(link_header, module)?)?;
    module.add_function(wrap_pyfunction!(check_link_header, module)?)?;
    module.add_function(wrap_pyfunction!(link_blocks, module)?)?;
    module.add_function(wrap_pyfunction!(link_block_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(read_links, module)?)
}
