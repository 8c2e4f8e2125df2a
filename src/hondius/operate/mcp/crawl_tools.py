"""What the tools do with a crawl."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from hondius.crawler.seeds import add_scheme
from hondius.errors import WrongUse
from hondius.model import State
from hondius.native import NativeError
from hondius.opening import Crawl
from hondius.operate.cli.display.explanation import format_explanation
from hondius.operate.mcp.answers import MOST_CHARACTERS, STRANGERS, ToolAnswer, make_answer, take_whole
from hondius.operate.mcp.search import Search
from hondius.sanitise import make_printable, replace_surrogates
from hondius.session.queue import read_queue
from hondius.usage import Use, is_reserved
from hondius.use.content import Contents
from hondius.use.explain import Explanation, explain_url
from hondius.use.explain.explanation import EndingFacts
from hondius.use.export.plain import format_time

Arguments = Mapping[str, Any]
SQL_SECONDS = 30.0
SQL_MEMORY = 512 << 20
SQL_RESULT = 8 << 20


class CrawlTools:
    """`noindex` and `reserved`: with the text of pages that ask not to be indexed (D4), or that their owners reserve
    for the use by AI (W3)."""

    def __init__(
        self,
        *,
        noindex: bool = False,
        reserved: bool = False,
        seconds: float = SQL_SECONDS,
        search: Search | None = None,
    ) -> None:
        """`seconds`: how long a query may take."""
        self._noindex = noindex
        self._reserved = reserved
        self.seconds = seconds
        self._search = search

    @property
    def can_search(self) -> bool:
        return self._search is not None

    def search(self, crawl: Crawl, arguments: Arguments) -> ToolAnswer:
        assert self._search is not None
        hits = [
            {"url": hit.url, "title": hit.title, "snippet": hit.snippet, "score": hit.score}
            for hit in self._search(crawl, arguments["query"], arguments["limit"])
            if self._find_objection(crawl.catalog.page(_find_key(crawl, hit.url)) or {}) is None
        ]
        found, is_cut = take_whole((_to_json(hit) for hit in hits), MOST_CHARACTERS)
        note = "; the rest was left out" if is_cut else ""
        return make_answer(f"{len(found)} pages, the best first{note}. {STRANGERS}", "\n".join(found))

    def read_page(self, crawl: Crawl, arguments: Arguments) -> ToolAnswer:
        url, offset, length = arguments["url"], arguments["offset"], arguments["length"]
        row = crawl.catalog.page(_find_key(crawl, url))
        if row is None:
            raise WrongUse("this URL has not ended in the crawl: the tool explain tells what is known about it")
        facts = {
            name: row[name]
            for name in ("url", "state", "cause", "status", "type", "language", "redirect_to", "copy_of")
        }
        facts["fetched_at"] = format_time(row["last_fetched_at"])
        if objection := self._find_objection(row):
            return make_answer(f"{_to_json(facts)}\nThe text of this page is withheld: {objection}.")
        markdown = Contents(crawl).extract_deep_text(row).markdown
        part = markdown[offset : offset + length]
        end = offset + len(part)
        more = f"; continue with offset {end}" if end < len(markdown) else ""
        head = {**facts, "title": row["title"], "characters": len(markdown), "from": offset, "to": end}
        return make_answer(f"{_to_json(head)}\nThe text of the page as Markdown follows{more}. {STRANGERS}", part)

    def explain(self, crawl: Crawl, arguments: Arguments) -> ToolAnswer:
        url = add_scheme(replace_surrogates(arguments["url"]).strip())
        explanation = explain_url(crawl, url, None)
        if explanation.identity.reason is not None:
            raise WrongUse(f"this is no URL that can be crawled ({explanation.identity.reason})")
        if explanation.ending is not None:
            row = crawl.catalog.page(_find_key(crawl, url)) or {}
            if objection := self._find_objection(row):
                explanation = _withhold_content(explanation, explanation.ending, objection)
        return make_answer("\n".join(make_printable(line) for line in format_explanation(explanation, url)))

    def query(self, crawl: Crawl, arguments: Arguments) -> ToolAnswer:
        from hondius.use.sql.limits import Limits
        from hondius.use.sql.loading import Withheld
        from hondius.use.sql.result import ask
        from hondius.use.sql.writing import make_plain

        limits = Limits(seconds=self.seconds, rows=arguments["rows"], memory=SQL_MEMORY, result=SQL_RESULT)
        withheld = Withheld(self._noindex, "" if self._reserved else Use.AI_INPUT.value)
        answer = ask(crawl, arguments["query"], limits, withheld)
        rows, is_cut = take_whole((_to_json(make_plain(row)) for row in answer), MOST_CHARACTERS)
        more = "; there are more: select fewer rows, or shorter values" if is_cut or answer.is_cut else ""
        return make_answer(f"{len(rows)} rows{more}. {STRANGERS}", "\n".join(rows))

    def status(self, crawl: Crawl, arguments: Arguments) -> ToolAnswer:
        totals, queue = crawl.catalog.totals(), read_queue(crawl.place)
        return make_answer(
            _to_json(
                {
                    "states": {state.value: totals["states"].get(state, 0) for state in State},
                    "causes": {f"{state}/{cause}": n for (state, cause), n in totals["causes"].items() if cause},
                    "sitemaps": sum(totals["sitemaps"].values()),
                    "requisites": sum(totals["requisites"].values()),
                    "hosts": totals["hosts"],
                    "requests": totals["fetches"],
                    "bytes": totals["wire_bytes"],
                    "archived_bytes": crawl.archive.size(),
                    "running": crawl.place.holder() is not None,
                    "queue": msgspec.to_builtins(queue),
                    "last_run": crawl.catalog.last_run(),
                }
            )
        )

    def _find_objection(self, row: Mapping[str, Any]) -> str | None:
        """Why the text of a page is not given; None if it is."""
        if row.get("noindex") and not self._noindex:
            return "it asks not to be indexed, and the server was started without --noindex"
        if is_reserved(row.get("usage"), Use.AI_INPUT.value) and not self._reserved:
            return "its owner reserves it for the use by AI, and the server was started without --reserved"
        return None


def _withhold_content(explanation: Explanation, ending: EndingFacts, objection: str) -> Explanation:
    without = replace(ending, title="", canonical=None, extracted=None, hook_failures=None)
    note = f"what the page says, such as its title, is withheld: {objection}"
    return replace(explanation, ending=without, notes=[*explanation.notes, note])


def _find_key(crawl: Crawl, url: str) -> bytes:
    from hondius.crawler.translation import make_identity

    try:
        return make_identity(crawl.settings).parse(replace_surrogates(url).strip()).key
    except NativeError as error:
        raise WrongUse(f"this is no URL ({error}): write it like https://example.com/page") from None


def _to_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
