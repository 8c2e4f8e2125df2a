"""S7: what a user may write into a query."""

import pytest

from hondius.errors import BadSetting
from hondius.search_model import Clause
from hondius.use.search import parse_query


def test_s7_words_phrases_exclusions_and_beginnings() -> None:
    query = parse_query('Atlas "old Maps" -shop -"red shoes" carto* don\'t')
    assert query.clauses == (
        Clause(("atlas",)),
        Clause(("old", "maps")),
        Clause(("shop",), is_excluded=True),
        Clause(("red", "shoes"), is_excluded=True),
        Clause(("carto",), is_prefix=True),
        Clause(("don", "t")),
    )


def test_s7_conditions_in_the_text_and_beside_it() -> None:
    query = parse_query(
        "maps host:Example.com lang:en after:2026-11-01 before:2026-11-15T08:30",
        hosts=["*.example.org"],
        languages=["de"],
        after="2026-10-01",
    )
    assert [clause.words for clause in query.clauses] == [("maps",)]
    assert query.hosts == ("*.example.org", "example.com")
    assert query.languages == ("de", "en")
    assert (query.since, query.until) == (1793491200.0, 1794731400.0), "the narrowest span"
    assert parse_query("host:example.com").hosts == ("example.com",)


def test_s7_an_unknown_name_and_an_open_quotation_mark_are_words() -> None:
    assert [clause.words for clause in parse_query('size:10 "old maps').clauses] == [("size", "10"), ("old", "maps")]
    assert parse_query("地図 図").clauses == (Clause(("地図",)), Clause(("図",), is_prefix=True))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "search for what"),
        (" ?! ", "search for what"),
        ("-maps", "only excludes"),
        ("host:a/b maps", "no host"),
        ("lang:? maps", "no language"),
        ("after:yesterday maps", "after 'yesterday' is not understood"),
        ("maps after:2026-11-15 before:2026-11-14", "no page can match"),
        ("maps -host:a.test", "only words and phrases can be excluded"),
        ("x" * 1001, "1,001 characters"),
        ("word " * 33, "33 words and phrases"),
    ],
)
def test_s7_what_cannot_match_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        parse_query(text)


def test_s7_an_unknown_purpose_is_refused() -> None:
    with pytest.raises(BadSetting, match="unknown use"):
        parse_query("maps", purpose="resale")
