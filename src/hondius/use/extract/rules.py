"""What a user may write in `rules.toml`. Every error is one line that names the file, the field and what to do."""

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hondius.errors import BadSetting
from hondius.model import PageFilter
from hondius.native import FieldRules, NativeError
from hondius.use.export.columns import BY_NAME
from hondius.use.selection import select_pages

KEYS = ("match", "host", "language", "columns", "items", "fields")
FIELD_KEYS = ("css", "json_ld", "regex", "attr", "html", "all", "type", "from", "required")
DEFAULT_COLUMNS = ("url",)
LONGEST_NAME = 100
LONGEST_PART = 200
"""Characters of each end of a message."""
PAGE = "page"
"""The only value of `from`: the field is read from the page as a whole, not from each item."""


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How one field is found: by `css`, by `json_ld`, by `regex`, or by `regex` in what one of the others finds."""

    name: str
    css: str | None = None
    json_ld: str | None = None
    regex: str | None = None
    attr: str | None = None
    html: bool = False
    all: bool = False
    type: str = "text"
    of_page: bool = False
    required: bool = False

    def to_native(self) -> tuple[str, str | None, str | None, str | None, str | None, bool, bool, str, bool, bool]:
        return (
            *(self.name, self.css, self.json_ld, self.regex, self.attr),
            *(self.html, self.all, self.type, self.of_page, self.required),
        )


@dataclass(frozen=True, slots=True)
class RuleSet:
    name: str
    """The file, for messages."""
    selected: PageFilter
    """The pages that it is for: by URL, host and language."""
    columns: tuple[str, ...]
    """Columns of exports that come before the fields."""
    fields: tuple[FieldRule, ...]
    items: str | None
    """Where the rows of a page are; None if the page is one row."""
    native: FieldRules


def parse_rules(values: Mapping[str, Any], name: str) -> RuleSet:
    """Raises BadSetting."""
    try:
        return _parse(values, name)
    except BadSetting as error:
        raise BadSetting(f"{name}: {_shorten(str(error))}") from None


def _shorten(message: str) -> str:
    """A message may quote what stands in the file. Its end says what to do."""
    return message if len(message) <= 2 * LONGEST_PART else f"{message[:LONGEST_PART]} … {message[-LONGEST_PART:]}"


def _parse(values: Mapping[str, Any], name: str) -> RuleSet:
    _refuse_unknown(values, KEYS, "")
    fields = tuple(_parse_field(field, value) for field, value in _read_fields(values))
    items_css, items_json_ld = _parse_items(values.get("items"))
    columns = tuple(_list_texts("columns", values.get("columns", DEFAULT_COLUMNS)))
    items = items_css or items_json_ld
    _check_columns(columns, fields)
    if items is None and (astray := [field.name for field in fields if field.of_page]):
        raise BadSetting(f'{astray[0]}: from = "page" is for rules with items: leave it out')
    selected = select_pages(
        match=_read_text("match", values.get("match", "")),
        hosts=_list_texts("host", values.get("host", ())),
        languages=_list_texts("language", values.get("language", ())),
    )
    try:
        native = FieldRules([field.to_native() for field in fields], items_css=items_css, items_json_ld=items_json_ld)
    except NativeError as error:
        raise BadSetting(str(error)) from None
    return RuleSet(name, selected, columns, fields, items, native)


def _read_fields(values: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    fields = values.get("fields")
    if not isinstance(fields, Mapping) or not fields:
        raise BadSetting('there are no fields: write them below [fields], like title = "h1"')
    return fields.items()


def _parse_field(name: str, value: Any) -> FieldRule:
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadSetting(f"{str(name)[:LONGEST_NAME]!r} is no name of a field: write one such as price")
    if isinstance(value, str):
        return FieldRule(name, css=value)
    if not isinstance(value, Mapping):
        raise BadSetting(f'{name}: write a CSS selector, like "h1", or a table, like {{ css = "h1", attr = "title" }}')
    _refuse_unknown(value, FIELD_KEYS, f"{name}: ")

    def read_text(key: str) -> str | None:
        return _read_text(f"{name}: {key}", value[key]) if key in value else None

    def read_truth(key: str) -> bool:
        return _read_truth(f"{name}: {key}", value.get(key, False))

    rule = FieldRule(
        name,
        css=read_text("css"),
        json_ld=read_text("json_ld"),
        regex=read_text("regex"),
        attr=read_text("attr"),
        html=read_truth("html"),
        all=read_truth("all"),
        type=read_text("type") or "text",
        of_page=_is_of_page(name, value.get("from")),
        required=read_truth("required"),
    )
    _check_field(rule)
    return rule


def _check_field(rule: FieldRule) -> None:
    refusals = {
        "say where it is, with css, json_ld or regex": not (rule.css or rule.json_ld or rule.regex),
        "css and json_ld are two ways to find it: choose one": bool(rule.css and rule.json_ld),
        "attr is the attribute of an element: add css": bool(rule.attr is not None and not rule.css),
        "html is the markup of an element: add css": rule.html and not rule.css,
        "attr and html are two ways to read an element: choose one": rule.html and rule.attr is not None,
        "exists is one value, true or false: leave out all": rule.all and rule.type == "exists",
    }
    for reason, is_wrong in refusals.items():
        if is_wrong:
            raise BadSetting(f"{rule.name}: {reason}")


def _is_of_page(name: str, value: Any) -> bool:
    if value not in (None, PAGE):
        raise BadSetting(f'{name}: from = {value!r} is not understood: write from = "page", or leave it out')
    return value is not None


def _parse_items(value: Any) -> tuple[str | None, str | None]:
    """A CSS selector, or a path of JSON-LD."""
    match value:
        case None:
            return None, None
        case str():
            return value, None
        case {"css": str(css), **rest} if not rest:
            return css, None
        case {"json_ld": str(path), **rest} if not rest:
            return None, path
    raise BadSetting('items: write a CSS selector, like "li.product", or { json_ld = "ItemList.itemListElement" }')


def _check_columns(columns: tuple[str, ...], fields: tuple[FieldRule, ...]) -> None:
    for name in columns:
        if name not in BY_NAME:
            raise BadSetting(f"columns: there is no column {name!r}; `hondius export --columns help` lists them all")
    named = Counter([*columns, *(field.name for field in fields)])
    if twice := [name for name, count in named.items() if count > 1]:
        raise BadSetting(f"the column {twice[0]} is there twice: name the field differently, or set columns = []")


def _refuse_unknown(values: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in values:
        if key not in known:
            close = difflib.get_close_matches(str(key)[:LONGEST_NAME], known, n=1)
            some = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
            raise BadSetting(f"{where}unknown key {key!r}; {some}")


def _read_text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadSetting(f"{name} is {value!r}: write a text in quotes")
    return value


def _read_truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadSetting(f"{name} is {value!r}: write true or false")
    return value


def _list_texts(name: str, value: Any) -> list[str]:
    """One text, or several."""
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not all(isinstance(one, str) for one in values):
        raise BadSetting(f"{name} is {value!r}: write a text in quotes, or a list of them")
    return list(values)
