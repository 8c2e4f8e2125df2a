"""What each rule finds on one page."""

from dataclasses import dataclass
from typing import Any

from hondius.crawler.translation import PRODUCT
from hondius.errors import BadSetting
from hondius.model import PageFilter
from hondius.native import FoundFields, Identity, NativeError, Reader
from hondius.use.content import Row
from hondius.use.export.plain import format_time
from hondius.use.extract.rules import FieldRule, RuleSet
from hondius.use.row_filter import RowFilter


@dataclass(frozen=True, slots=True)
class TriedField:
    name: str
    matches: int
    first: str | None
    """The first text, before it is converted."""
    unread: str | None
    """The first text that could not be converted to `type`."""
    type: str


@dataclass(frozen=True, slots=True)
class Tried:
    url: str
    fields: list[TriedField]
    rows: list[dict[str, Any]]
    items: int | None
    """None if the rules have no items."""
    left_out: int
    """Items without a value, or without a required one."""
    is_costly: bool
    """The page is too expensive for the rules: it has no rows."""
    refused_by: str = ""
    """The key of the rules that leaves this page out of an extraction: match, host or language."""

    @property
    def missing(self) -> list[str]:
        """The fields that found nothing."""
        return [field.name for field in self.fields if not field.matches]


def try_rules(rules: RuleSet, body: bytes, url: str, content_type: str = "") -> Tried:
    """Raises BadSetting if `url` is no URL."""
    try:
        href = Identity().parse(url).href
    except NativeError as error:
        raise BadSetting(f"{url!r} is no URL ({error}): write it like https://example.com/page") from None
    reader = Reader(Identity(), agent_token=PRODUCT)
    return describe_found(rules, href, rules.native.apply(reader, body, url=href, content_type=content_type))


def describe_found(rules: RuleSet, url: str, found: FoundFields) -> Tried:
    fields = [
        TriedField(rule.name, count, first, unread, rule.type)
        for rule, (count, first, unread) in zip(rules.fields, found.matches, strict=True)
    ]
    names = [rule.name for rule in rules.fields]
    rows = [dict(zip(names, _make_plain(rules, row), strict=True)) for row in found.rows]
    items = None if rules.items is None else found.items
    return Tried(url, fields, rows, items, found.left_out, found.is_costly)


def find_refusal(rules: RuleSet, row: Row) -> str:
    """The key of the rules that does not select a page of a crawl; empty if the rules select it."""
    if refused_by := find_refusal_of_url(rules, row["url"], row["host"]):
        return refused_by
    return "" if RowFilter(PageFilter(languages=rules.selected.languages)).matches(row) else "language"


def find_refusal_of_url(rules: RuleSet, url: str, host: str) -> str:
    row = {"url": url, "host": host, "last_fetched_at": None}
    wanted = rules.selected
    conditions = {"match": PageFilter(pattern=wanted.pattern), "host": PageFilter(hosts=wanted.hosts)}
    return next((name for name, selected in conditions.items() if not RowFilter(selected).matches(row)), "")


def _make_plain(rules: RuleSet, row: list[Any]) -> list[Any]:
    return [_format(rule, value) for rule, value in zip(rules.fields, row, strict=True)]


def _format(rule: FieldRule, value: Any) -> Any:
    if rule.type != "date" or value is None:
        return value
    return [format_time(one) for one in value] if rule.all else format_time(value)
