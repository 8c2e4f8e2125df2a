"""The tables that queries can read: one list, for loading, messages and the documentation."""

from collections.abc import Sequence
from dataclasses import dataclass

from hondius.use.export.arrow import DEFAULT_COLUMNS
from hondius.use.export.columns import COLUMNS, ColumnType

TEXT, INTEGER, NUMBER, TIME = ColumnType.TEXT, ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.TIME


@dataclass(frozen=True, slots=True)
class SqlColumn:
    name: str
    type: ColumnType
    meaning: str
    is_in_star: bool = True
    """Whether `SELECT *` includes it. Others are read only if the query names them."""


@dataclass(frozen=True, slots=True)
class SqlTable:
    name: str
    meaning: str
    columns: tuple[SqlColumn, ...]

    def choose(self, named: set[str], *, has_star: bool) -> tuple[str, ...]:
        """The columns that a query needs; at least one, because rows are counted by it. `named` is in lower case."""
        chosen = [column.name for column in self.columns if column.name in named or (has_star and column.is_in_star)]
        return tuple(chosen) or (self.columns[0].name,)


PAGES = SqlTable(
    "pages",
    "a row for every URL that has ended, without requisites",
    tuple(SqlColumn(one.name, one.type, one.meaning, one.name in DEFAULT_COLUMNS) for one in COLUMNS),
)
REQUISITES = SqlTable(
    "requisites",
    "a row for every requisite that has ended: what `--requisites` fetched so that pages can be shown",
    PAGES.columns,
)
HOSTS = SqlTable(
    "hosts",
    "a row for every host that was contacted",
    (
        SqlColumn("host", TEXT, "its name"),
        SqlColumn("address", TEXT, "the address that answered last"),
        SqlColumn("fetched", INTEGER, "requests for URLs, answered or not; without those for robots.txt"),
        SqlColumn("failed", INTEGER, "requests that failed"),
        SqlColumn("recrawled", INTEGER, "how many of `fetched` were recrawls"),
        SqlColumn("bytes", INTEGER, "bytes received"),
        SqlColumn("seconds", NUMBER, "seconds that these requests took together"),
        SqlColumn("average_response", NUMBER, "seconds that a request took on average"),
        SqlColumn("crawl_delay", NUMBER, "seconds between two requests that its robots.txt asks for; 0 if it does not"),
        SqlColumn(
            "back_off",
            NUMBER,
            "seconds between two requests after 429 and 503, if no other delay is longer; 0 if there is none",
        ),
        SqlColumn("consecutive_failures", INTEGER, "failures since the last good answer"),
        SqlColumn("circuit_until", TIME, "until when it is left alone; empty if it is not"),
        SqlColumn("not_before", TIME, "when it may be contacted again"),
        SqlColumn("at", TIME, "when this was recorded"),
    ),
)
LINKS = SqlTable(
    "links",
    "a row for every different URL (by its key) that a page links to, also out of the scope of the crawl",
    (
        SqlColumn("source_url", TEXT, "the page that has the link"),
        SqlColumn("source_key", TEXT, "its key, as in `pages.key`"),
        SqlColumn("source_host", TEXT, "its host"),
        SqlColumn("target_url", TEXT, "where the link leads"),
        SqlColumn("target_key", TEXT, "the key of that URL: two spellings of one URL have the same"),
        SqlColumn("target_host", TEXT, "its host"),
        SqlColumn("anchor", TEXT, "the text of the link"),
        SqlColumn("rel", TEXT, "those of nofollow, ugc and sponsored that it has"),
        SqlColumn(
            "kind",
            TEXT,
            "anchor, area, canonical, alternate, next, previous, feed, frame, refresh, header and so on",
        ),
        SqlColumn("position", INTEGER, "its number on the page, from 0"),
    ),
)
ERRORS = SqlTable(
    "errors",
    "a row for every URL and cause of failure, retries included",
    (
        SqlColumn("key", TEXT, "of the URL, as in `pages.key`"),
        SqlColumn("host", TEXT, "the host of the URL"),
        SqlColumn("cause", TEXT, "such as `read_timeout` or `http_503`"),
        SqlColumn("detail", TEXT, "what happened the last time"),
        SqlColumn("count", INTEGER, "how often"),
        SqlColumn("at", TIME, "when it happened last"),
    ),
)
FETCHES = SqlTable(
    "fetches",
    "a row for every request for a page that has ended",
    (
        SqlColumn("key", TEXT, "of the URL, as in `pages.key`"),
        SqlColumn("started_at", TIME, "when the request was sent"),
        SqlColumn("ended_at", TIME, "when the answer was complete"),
        SqlColumn("outcome", TEXT, "how it ended"),
        SqlColumn("cause", TEXT, "why it ended so"),
        SqlColumn("status", INTEGER, "the HTTP status"),
        SqlColumn("address", TEXT, "the address and port that answered"),
        SqlColumn("wire_length", INTEGER, "bytes of the answer as received"),
        SqlColumn("content_hash", TEXT, "the SHA-256 of the decoded body, in hex"),
        SqlColumn("warc_file", TEXT, "the WARC file of its record"),
        SqlColumn("warc_offset", INTEGER, "where its record begins in that file"),
        SqlColumn("warc_length", INTEGER, "the length of its record, compressed"),
        SqlColumn("redirect_to", TEXT, "where it redirects to"),
    ),
)
TABLES = {table.name: table for table in (PAGES, HOSTS, LINKS, ERRORS, FETCHES, REQUISITES)}


def describe_tables(tables: Sequence[SqlTable] = tuple(TABLES.values())) -> str:
    """For people and assistants: a line a column."""
    lines: list[str] = []
    for table in tables:
        lines.append(f"{table.name}: {table.meaning}")
        if table is REQUISITES and PAGES in tables:
            lines.append(f"    the columns of {PAGES.name}")
            continue
        for column in table.columns:
            named = "" if column.is_in_star else " (only if it is named)"
            lines.append(f"    {column.name} {column.type.value}: {column.meaning}{named}")
    return "\n".join(lines)
