"""Extraction by rules (O1): what rules find, in every world, and what is wrong with them."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from hondius.errors import BadSetting
from hondius.model import ALL_PAGES, PageFilter
from hondius.opening import open_crawl
from hondius.use.extract import ExtractedRows, Totals, new_totals, parse_rules, read_rules, select_for_rules, try_rules
from tests.use.damaged_record import damage_record
from tests.use.extract_shop import BLUE, COPY, HIDDEN, LIST, RED, RED_PAGE, RULES, SITE
from tests.use.worlds import DIRECTORY, WORLDS, crawl_in_process, new_place

CHOSEN = replace(ALL_PAGES, copies=False, noindex=False)


@pytest.fixture(scope="module", params=WORLDS)
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with new_place(request.param, tmp_path_factory.mktemp("shop")) as name:
        crawl_in_process(name, SITE)
        yield name


def extract(
    name: Path, values: dict[str, Any], selected: PageFilter = CHOSEN
) -> tuple[dict[str, tuple[Any, ...]], Totals]:
    """The rows by the first column, and what was counted."""
    rules = parse_rules(values, "rules.toml")
    totals = new_totals(rules)
    with open_crawl(name) as crawl:
        rows = ExtractedRows(crawl, rules, select_for_rules(rules, selected)).read(totals)
        return {row.values[0]: row.values[1:] for row in rows}, totals


def test_o1_fields_come_from_css_json_ld_and_regular_expressions(shop: Path) -> None:
    rows, totals = extract(shop, RULES)
    more, letters, day = "http://a.test/about", b'["a","b"]', 1_794_960_000.0
    assert rows == {
        RED: ("=Red shoes", 1299.0, "EUR", 1299.0, day, 3, more, letters, True),
        BLUE: ("Blue shoes", 12.5, "GBP", 12.5, day, None, more, letters, False),
    }
    assert (totals.pages, totals.rows, totals.empty) == (2, 2, 0)
    assert totals.fields["stock"] == 1


def test_o1_copies_and_pages_that_ask_not_to_be_indexed_are_read_if_asked_for(shop: Path) -> None:
    assert set(extract(shop, RULES, replace(CHOSEN, copies=True))[0]) == {RED, BLUE, COPY}
    assert set(extract(shop, RULES, replace(CHOSEN, noindex=True))[0]) == {RED, BLUE, HIDDEN}


def test_o1_items_are_rows_of_one_page(shop: Path) -> None:
    values = {
        "match": "/list$",
        "items": "li",
        "columns": ["url", "status"],
        "fields": {
            "id": {"css": ":scope", "attr": "data-id", "type": "integer"},
            "name": "a",
            "price": {"css": "b", "type": "price"},
            "shelf": {"css": "h1", "from": "page"},
        },
    }
    rules = parse_rules(values, "rules.toml")
    with open_crawl(shop) as crawl:
        rows = ExtractedRows(crawl, rules, select_for_rules(rules, CHOSEN)).read(new_totals(rules))
        found = [row.values for row in rows]
    url = "http://a.test/list"
    assert found == [(url, 200, 1, "Red", 1299.0, "All"), (url, 200, 2, "Blue", None, "All")]


def test_o1_rows_without_a_required_field_are_left_out(shop: Path) -> None:
    values = {"fields": {"title": "h1", "price": {"css": ".price", "type": "price", "required": True}}}
    rows, totals = extract(shop, values)
    assert set(rows) == {RED, BLUE}
    assert (totals.pages, totals.empty) == (5, 3)


def test_o1_rules_choose_pages_by_host(shop: Path) -> None:
    assert extract(shop, RULES | {"host": "b.test"})[1].pages == 0
    assert extract(shop, RULES | {"host": ["b.test", "a.test"]})[1].pages == 2


def test_o1_a_damaged_record_costs_only_its_own_rows(tmp_path: Path) -> None:
    with new_place(DIRECTORY, tmp_path) as name:
        crawl_in_process(name, SITE)
        damage_record(name, RED)
        rows, totals = extract(name, RULES)
    assert set(rows) == {BLUE}
    assert (totals.damaged, totals.first_damaged, totals.empty) == (1, RED, 1)


def test_o1_a_trial_names_what_finds_nothing_and_what_is_not_converted() -> None:
    fields = {"title": "h1", "none": ".none", "price": {"css": "h1", "type": "price"}}
    tried = try_rules(parse_rules({"fields": fields}, "r"), RED_PAGE.encode(), "http://a.test/")
    assert tried.missing == ["none"]
    assert tried.fields[2].unread == "=Red shoes"
    assert tried.rows == [{"title": "=Red shoes", "none": None, "price": None}]
    items = parse_rules({"items": "li", "fields": {"name": "a"}}, "r")
    tried = try_rules(items, LIST.encode(), "http://a.test/")
    assert (tried.items, len(tried.rows), tried.left_out) == (3, 2, 1)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "there are no fields: write them below [fields]"),
        ({"fields": {}}, "there are no fields"),
        ({"field": {"a": "b"}}, "unknown key 'field'; did you mean fields?"),
        ({"fields": {"a": 1}}, "a: write a CSS selector"),
        ({"fields": {"a": {}}}, "a: say where it is, with css, json_ld or regex"),
        ({"fields": {"a": {"ccs": "b"}}}, "a: unknown key 'ccs'; did you mean css?"),
        ({"fields": {"a": {"css": 1}}}, "a: css is 1: write a text in quotes"),
        ({"fields": {"a": {"css": "b", "all": "yes"}}}, "a: all is 'yes': write true or false"),
        ({"fields": {"a": {"css": "b", "json_ld": "C.d"}}}, "a: css and json_ld are two ways"),
        ({"fields": {"a": {"regex": "b", "attr": "c"}}}, "a: attr is the attribute of an element: add css"),
        ({"fields": {"a": {"css": "b", "attr": "c", "html": True}}}, "a: attr and html are two ways"),
        ({"fields": {"a": {"css": "b", "all": True, "type": "exists"}}}, "a: exists is one value"),
        ({"fields": {"a": {"css": "b", "from": "item"}}}, "a: from = 'item' is not understood"),
        ({"fields": {"a": {"css": "b", "from": "page"}}}, 'a: from = "page" is for rules with items'),
        ({"fields": {"a": "b["}}, "a: a name is expected"),
        ({"fields": {"a": {"css": "b", "type": "money"}}}, "a: unknown type"),
        ({"fields": {"a": {"regex": "("}}}, 'a: "(" is no regular expression'),
        ({"fields": {"a": {"json_ld": "name"}}}, 'a: "name" does not begin with a type'),
        ({"fields": {"url": "b"}}, "the column url is there twice"),
        ({"fields": {"a": "b"}, "columns": ["c"]}, "columns: there is no column 'c'"),
        ({"fields": {"a": "b"}, "match": "("}, "'(' is no regular expression"),
        ({"fields": {"a": "b"}, "host": "a b"}, "'a b' is no host"),
        ({"fields": {"a": "b"}, "items": "c["}, "items: a name is expected"),
        ({"fields": {"a": "b"}, "items": 1}, "items: write a CSS selector"),
        ({"fields": {"": "b"}}, "'' is no name of a field"),
        ({"fields": {f"f{number}": "b" for number in range(201)}}, "there are more than 200 fields"),
    ],
)
def test_o1_a_wrong_rule_is_one_line_with_file_field_and_cure(values: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting) as caught:
        parse_rules(values, "rules.toml")
    assert str(caught.value).startswith(f"rules.toml: {words}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "values",
    [
        {"fields": {f"f{number}": "a" for number in range(100_000)}},
        {"fields": {"a": "b"}, "columns": ["url"] * 100_000},
        {"fields": {"a": "b"}, "columns": ["x" * 100_000]},
        {"x" * 100_000: 1},
        {"fields": {"a": {"css": "b", "from": "x" * 100_000}}},
        {"fields": {"a": {"regex": "(" * 100_000}}},
        {"fields": {"a": {"regex": "(a{1000}){1000}"}}},
        {"fields": {"a": {"json_ld": "A" + ".b" * 50_000}}},
        {"fields": {"a": ":not(" * 20_000}},
        {"fields": {"a": "b", "c": "d" * 100_000}},
        {"fields": {"a": "b"}, "match": "(" * 100_000},
        {"fields": {"a": "b"}, "host": ["x" * 100_000]},
        {"fields": {"a": "b"}, "host": {"x" * 1_000: [1] * 100_000}},
    ],
)
def test_q2_hostile_rules_are_refused_at_once_in_a_short_line(values: dict[str, Any]) -> None:
    began = time.monotonic()
    with pytest.raises(BadSetting) as refused:
        parse_rules(values, "rules.toml")
    assert len(str(refused.value)) < 500
    assert "\n" not in str(refused.value)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"a = [", "is no TOML"),
        (b"\xff", "is no text in UTF-8"),
        (b"#" * 1_048_577, "is larger than 1 MiB"),
        (b"a." * 65_000 + b"a = 1", "has a line of more than 4,000 bytes"),
    ],
)
def test_o1_a_file_that_is_no_rules_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_bytes(data)
    with pytest.raises(BadSetting, match=words):
        read_rules(path)
    with pytest.raises(BadSetting, match="cannot be read"):
        read_rules(tmp_path / "missing.toml")
