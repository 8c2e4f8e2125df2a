"""A query for tantivy."""

from collections.abc import Iterable

from tantivy import FieldType, Occur, Query

from hondius.search_model import Clause, SearchQuery
from hondius.stores.search.documents import normalise_language
from hondius.stores.search.schema import AT, COPY, SCHEMA, WEIGHTS

TIE = 0.1
"""How much the weaker fields of a page add to the strongest one."""


def make_query(query: SearchQuery) -> Query:
    parts = [
        (Occur.MustNot if clause.is_excluded else Occur.Must, _make_words(clause, query)) for clause in query.clauses
    ]
    parts += [(Occur.Must, Query.const_score_query(condition, 0.0)) for condition in _list_conditions(query)]
    if not query.copies:
        parts.append((Occur.MustNot, Query.term_query(SCHEMA, COPY, True)))
    if query.purpose:
        parts.append((Occur.MustNot, Query.term_query(SCHEMA, "reserved", query.purpose, "basic")))
    return Query.boolean_query(parts)


def _make_words(clause: Clause, query: SearchQuery) -> Query:
    """The best field counts, so that a word in a title is not worth less because the text lacks it."""
    fields = [Query.boost_query(_make_field(clause, name), weight) for name, weight in WEIGHTS.items()]
    return Query.disjunction_max_query(fields, TIE)


def _make_field(clause: Clause, field: str) -> Query:
    """Words are letters, digits and marks, so they are valid in a regular expression as they are."""
    words = list(clause.words)
    if len(words) > 1 and clause.is_prefix:
        return Query.regex_phrase_query(SCHEMA, field, [*words[:-1], f"{words[-1]}.*"])
    if len(words) > 1:
        return Query.phrase_query(SCHEMA, field, words)  # type: ignore[arg-type]
    if clause.is_prefix:
        return Query.regex_query(SCHEMA, field, f"{words[0]}.*")
    return Query.term_query(SCHEMA, field, words[0], "freq")


def _list_conditions(query: SearchQuery) -> Iterable[Query]:
    if query.hosts:
        yield _make_any("host", query.hosts)
    if query.languages:
        yield _make_any("language", map(normalise_language, query.languages))
    if query.since is not None or query.until is not None:
        since = None if query.since is None else _round_up(query.since)
        until = None if query.until is None else _round_up(query.until)
        yield Query.range_query(SCHEMA, AT, FieldType.Integer, since, until, include_upper=until is None)


def _make_any(field: str, values: Iterable[str]) -> Query:
    terms = [(Occur.Should, Query.term_query(SCHEMA, field, value, "basic")) for value in values]
    return Query.boolean_query(terms)


def _round_up(at: float) -> int:
    """Times of the index are whole seconds, rounded down."""
    return int(-(-at // 1))
