//! Python bindings of [`crate::words`].

use pyo3::prelude::*;

use super::text::Text;
use crate::words::{self, Wanted};

#[pyfunction]
fn split_words(py: Python<'_>, text: Text) -> String {
    py.detach(|| words::split(&text.0))
}

#[pyfunction]
fn split_query_words(text: Text) -> (Vec<String>, bool) {
    words::split_query(&text.0)
}

#[pyfunction]
fn find_snippet(
    py: Python<'_>,
    text: Text,
    wanted: Vec<(Vec<String>, bool)>,
    length: usize,
) -> (String, Vec<(usize, usize)>, bool) {
    py.detach(|| {
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|(words, is_prefix)| Wanted { words, is_prefix })
            .collect();
        let found = words::find_snippet(&text.0, &wanted, length);
        let marks = found.marks.into_iter().map(|mark| (mark.start, mark.end));
        (found.text, marks.collect(), found.has_match)
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("WORDS_VERSION", words::VERSION)?;
    module.add_function(wrap_pyfunction!(split_words, module)?)?;
    module.add_function(wrap_pyfunction!(split_query_words, module)?)?;
    module.add_function(wrap_pyfunction!(find_snippet, module)?)
}
