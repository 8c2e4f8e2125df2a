//! Python bindings of [`crate::field_rules`] and [`crate::select`].

use pyo3::prelude::*;
use pyo3::types::{PyList, PyNone};

use super::error::to_python;
use super::page::Reader;
use crate::error::Error;
use crate::field_rules::{self, Field, FieldOptions, Found, Items, Value};
use crate::select::{self, Selector};
use crate::url;

#[pyclass(frozen, module = "hondius._native")]
pub struct FieldRules(field_rules::Rules);

/// Name, CSS, JSON-LD, regular expression, attribute, HTML, all, type, of the page, required.
type FieldTuple = (
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    bool,
    bool,
    String,
    bool,
    bool,
);

#[pymethods]
impl FieldRules {
    #[new]
    #[pyo3(signature = (fields, *, items_css=None, items_json_ld=None))]
    fn new(
        fields: Vec<FieldTuple>,
        items_css: Option<&str>,
        items_json_ld: Option<&str>,
    ) -> PyResult<Self> {
        let items = Items::parse(items_css, items_json_ld).map_err(to_python)?;
        let fields = fields.into_iter().map(|field| {
            let (name, css, json_ld, regex, attribute, html, all, kind, of_page, required) = field;
            let options = FieldOptions {
                name,
                css,
                json_ld,
                regex,
                attribute,
                html,
                all,
                kind,
                of_page,
                required,
            };
            Field::parse(&options, &items)
        });
        let fields = fields
            .collect::<Result<Vec<_>, Error>>()
            .map_err(to_python)?;
        let rules = field_rules::Rules::new(items, fields).map_err(to_python)?;
        Ok(FieldRules(rules))
    }

    #[pyo3(signature = (reader, body, *, url, content_type="", headers=Vec::new()),
           text_signature = "($self, reader, body, *, url, content_type='', headers=())")]
    fn apply(
        &self,
        py: Python<'_>,
        reader: &Reader,
        body: &[u8],
        url: &str,
        content_type: &str,
        headers: Vec<(String, String)>,
    ) -> PyResult<FoundFields> {
        let url = url::parse(url, None).map_err(|reason| to_python(Error::from(reason)))?;
        let apply = || {
            self.0
                .apply(&reader.reader, body, &url, content_type, &headers)
        };
        Ok(FoundFields(py.detach(apply)))
    }
}

#[pyclass(frozen, module = "hondius._native")]
pub struct FoundFields(Found);

#[pymethods]
impl FoundFields {
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Vec<Bound<'py, PyAny>>>> {
        let rows = self.0.rows.iter();
        rows.map(|row| row.iter().map(|value| convert(py, value)).collect())
            .collect()
    }

    #[getter]
    fn items(&self) -> usize {
        self.0.items
    }

    #[getter]
    fn left_out(&self) -> usize {
        self.0.left_out
    }

    #[getter]
    fn matches(&self) -> Vec<(usize, Option<String>, Option<String>)> {
        let matches = self.0.matches.iter().cloned();
        matches
            .map(|matches| (matches.count, matches.first, matches.unread))
            .collect()
    }

    #[getter]
    fn is_costly(&self) -> bool {
        self.0.is_costly
    }
}

/// Lists have no lists in them.
fn convert<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Nothing => PyNone::get(py).to_owned().into_any(),
        Value::Text(text) => text.into_pyobject(py)?.into_any(),
        Value::Integer(number) => number.into_pyobject(py)?.into_any(),
        Value::Number(number) => number.into_pyobject(py)?.into_any(),
        Value::Truth(truth) => truth.into_pyobject(py)?.to_owned().into_any(),
        Value::List(values) => {
            let values = values.iter().map(|value| convert(py, value));
            PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
    })
}

type ElementTuple = (String, String, String, Vec<(String, String)>);

#[pyfunction]
#[pyo3(signature = (selector, reader, body, *, url, content_type="", headers=Vec::new()),
       text_signature = "(selector, reader, body, *, url, content_type='', headers=())")]
fn find_elements(
    py: Python<'_>,
    selector: &str,
    reader: &Reader,
    body: &[u8],
    url: &str,
    content_type: &str,
    headers: Vec<(String, String)>,
) -> PyResult<Option<Vec<ElementTuple>>> {
    let selector = Selector::parse(selector).map_err(|reason| to_python(Error::Invalid(reason)))?;
    let url = url::parse(url, None).map_err(|reason| to_python(Error::from(reason)))?;
    let found = py.detach(|| {
        select::find_elements(
            &selector,
            &reader.reader,
            body,
            &url,
            content_type,
            &headers,
        )
    });
    Ok(found.map(|elements| {
        let elements = elements.into_iter();
        elements
            .map(|element| (element.name, element.text, element.html, element.attributes))
            .collect()
    }))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<FieldRules>()?;
    module.add_class::<FoundFields>()?;
    module.add_function(wrap_pyfunction!(find_elements, module)?)
}
