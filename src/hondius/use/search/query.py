"""Parses a query: words, "phrases", -exclusions, beginnings*, and conditions such as host:example.com."""

import re
from collections.abc import Sequence

from hondius.errors import BadSetting
from hondius.native import now, split_query_words
from hondius.quantities import parse_moment
from hondius.search_model import Clause, SearchQuery
from hondius.use.selection import select_pages

LONGEST = 1_000
"""Characters of a query."""
MOST_CLAUSES = 32
_PART = re.compile(r'(-?)(?:(host|lang|before|after):("[^"]*"?|\S*)|"([^"]*)"?|(\S+))')
"""One part of a query. A quotation mark that is not closed reaches to the end."""
_LIKE_CONDITION = re.compile(r"([A-Za-z]+):(?!//).")


def parse_query(
    text: str,
    *,
    hosts: Sequence[str] = (),
    languages: Sequence[str] = (),
    before: str | float | None = None,
    after: str | float | None = None,
    copies: bool = False,
    purpose: str = "",
) -> SearchQuery:
    """Hosts and languages are added to those in the text: one of them must match. Of several times, the narrowest span
    counts. Raises BadSetting if nothing can match, or nothing is asked."""
    if len(text) > LONGEST:
        raise BadSetting(f"the query has {len(text):,} characters: shorten it to {LONGEST:,}")
    clauses: list[Clause] = []
    named: dict[str, list[str]] = {"host": list(hosts), "lang": list(languages), "before": [], "after": []}
    for minus, name, value, phrase, word in _PART.findall(text):
        if name and minus:
            raise BadSetting(f"-{name}: is not understood: only words and phrases can be excluded")
        if name:
            named[name].append(value.strip('"'))
        elif clause := _make_clause(phrase or word, is_excluded=bool(minus), may_be_prefix=bool(word)):
            clauses.append(clause)
    if len(clauses) > MOST_CLAUSES:
        raise BadSetting(f"the query has {len(clauses)} words and phrases: at most {MOST_CLAUSES} can be searched for")
    _refuse_nothing(text, clauses, named, before, after)
    selected = select_pages(
        hosts=named["host"],
        languages=named["lang"],
        since=_find_moment("after", [*_list(after), *named["after"]], latest=True),
        until=_find_moment("before", [*_list(before), *named["before"]], latest=False),
        purpose=purpose,
    )
    return SearchQuery(
        clauses=tuple(clauses),
        hosts=selected.hosts,
        languages=selected.languages,
        since=selected.since,
        until=selected.until,
        copies=copies,
        purpose=selected.purpose,
    )


def find_hosts(text: str) -> tuple[str, ...]:
    """Those of its conditions `host:`, of a query that can be parsed."""
    named = [value.strip('"') for _, name, value, _, _ in _PART.findall(text) if name == "host"]
    return select_pages(hosts=named).hosts


def find_hint(text: str) -> str:
    """For a query that nothing matches: which of its words may be meant for something else."""
    for _, _, _, _, word in _PART.findall(text):
        if word in ("OR", "AND", "NOT"):
            return f": {word} is a word like others here; a page must have all words, and -word excludes one"
        if (looks := _LIKE_CONDITION.match(word)) is not None:
            return f": {looks[1]}: is no condition; conditions are host:, lang:, before:, after:"
    return ""


def _make_clause(text: str, *, is_excluded: bool, may_be_prefix: bool) -> Clause | None:
    """None if it has no letters or digits."""
    words, is_prefix = split_query_words(text)
    if not words:
        return None
    return Clause(tuple(words), is_prefix or (may_be_prefix and text.endswith("*")), is_excluded)


def _refuse_nothing(
    text: str,
    clauses: Sequence[Clause],
    named: dict[str, list[str]],
    before: str | float | None,
    after: str | float | None,
) -> None:
    if any(not clause.is_excluded for clause in clauses):
        return
    has_condition = any(named.values()) or before is not None or after is not None
    if clauses and not has_condition:
        raise BadSetting(f"{text!r} only excludes words: name one that a page must have")
    if not has_condition:
        raise BadSetting('search for what? Write words, or a "phrase" in quotation marks')


def _find_moment(name: str, given: Sequence[str | float], *, latest: bool) -> float | None:
    moments = [at if isinstance(at, int | float) else parse_moment(at, name, now()) for at in given]
    return None if not moments else max(moments) if latest else min(moments)


def _list(value: str | float | None) -> list[str | float]:
    return [] if value is None else [value]
