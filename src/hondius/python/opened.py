"""`hondius.open`: a crawl, open for reading."""

import threading
import warnings
from collections.abc import Generator, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Unpack, overload
from weakref import WeakSet

from hondius.consumer_names import check_own_name
from hondius.crawler.seeds import add_scheme, describe_bad_url
from hondius.errors import BadSetting, CrawlWarning, UnknownUrl, WrongUse
from hondius.hints import quote_command
from hondius.native import NativeError
from hondius.opening import Crawl, open_crawl, place_of
from hondius.python.archived import make_page
from hondius.python.consumers import ConsumedPages
from hondius.python.extracted import Extracted, Rules, load_rules
from hondius.python.filters import Filters, Moment, make_conditions, make_filter
from hondius.python.page import Page
from hondius.python.parts import Link
from hondius.python.selected import Pages
from hondius.python.summary import Host, Summary, summarise
from hondius.settings import Settings
from hondius.use.content import Contents
from hondius.use.explain import Explanation, explain_url
from hondius.use.known_hosts import refuse_unknown_hosts
from hondius.use.report import DEFAULT_MOST, make_report
from hondius.use.report import CrawlReport as CrawlReport
from hondius.use.search import WITHOUT_TEXT, Results, Search
from hondius.use.selection import select_pages

if TYPE_CHECKING:
    from hondius.use.sql.result import Answer


def open(directory: str | Path) -> "OpenedCrawl":  # noqa: A001
    """Opens a crawl for reading, also while it runs, in this process or another one.

        with hondius.open("shop") as crawl:
            print(crawl["https://shop.example/"].markdown)

    It may be used without `with`, for example in a notebook, inside a running event loop, and from several threads.
    Raises BadDirectory if there is no crawl. A program that must not block its event loop uses `hondius.open_async`.
    """
    return OpenedCrawl(Crawl(place_of(Path(directory))))


class OpenedCrawl:
    """A crawl, open for reading. `crawl[url]` is the page of a URL, whatever its state."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._stopped = threading.Event()
        self._consumed: WeakSet[ConsumedPages] = WeakSet()

    @classmethod
    def prepare(cls, crawl: Crawl) -> "OpenedCrawl":
        """Opens the stores at once: several threads will use them."""
        opened = cls(crawl)
        assert opened._contents is not None
        return opened

    @property
    def name(self) -> str:
        """The directory, as it was given."""
        return self._crawl.name

    @property
    def settings(self) -> Settings:
        return self._crawl.settings

    def __getitem__(self, url: str) -> Page:
        """The page of a URL that has ended; without a scheme it gets `https://`, as seeds do. Raises UnknownUrl, which
        is a KeyError, for any other."""
        row = self._crawl.catalog.page(self._find_key(url))
        if row is None:
            why = quote_command("explain", self.name, url)
            raise UnknownUrl(f"{add_scheme(url)} has not ended in {self.name}: {why} tells what is known about it")
        return make_page(row, self._contents)

    def __contains__(self, url: object) -> bool:
        """Whether the URL has ended, in any state."""
        try:
            return isinstance(url, str) and self._crawl.catalog.has_ended(self._find_key(url))
        except UnknownUrl:
            return False

    def __len__(self) -> int:
        """How many URLs of pages have ended, in any state. `crawl.pages().count()` counts the pages with content."""
        return sum(self._crawl.catalog.totals()["states"].values())

    def __iter__(self) -> Iterator[Page]:
        """The same as `crawl.pages()`."""
        return iter(self.pages())

    def __bool__(self) -> bool:
        """An open crawl is true, also without pages."""
        return True

    @overload
    def pages(self, *, consumer: None = None, **filters: Unpack[Filters]) -> Pages: ...
    @overload
    def pages(self, *, consumer: str, follow: bool = False, **filters: Unpack[Filters]) -> ConsumedPages: ...
    def pages(
        self, *, consumer: str | None = None, follow: bool = False, **filters: Unpack[Filters]
    ) -> Pages | ConsumedPages:
        """The pages with content, or those that filters select; read while you iterate.

        Filters: host, language, status, since, until, states, pattern, copies, noindex, kind, purpose. They run in the
        store, and all of them must hold. `states="any"` also gives URLs that failed, were refused, and so on; so does
        `status` without `states`. `status=200` includes content that a 304 confirmed. Raises BadSetting for an unknown
        filter, or a value that no page can have. Pages that ask not to be indexed are left out unless `noindex=True`.
        `purpose` is search, ai-input or ai-train: pages that their owners reserve for that use are left out.

        `consumer`: a name. The pages then come in commit order, and each loop continues where the last one of this name
        stopped, also after `kill -9`: at least once, acknowledged by taking the next. With `follow` it waits for new
        pages until no process crawls any more.
        """
        self._refuse_closed()
        if consumer is not None:
            return self.consume(check_own_name(consumer), self._stopped, follow=follow, **filters)
        if follow:
            raise WrongUse("follow=True needs a consumer, like crawl.pages(consumer='indexer', follow=True)")
        return Pages(self._crawl, self._contents, make_filter(filters))

    def extract(self, rules: Rules, **filters: Unpack[Filters]) -> Extracted:
        """Rows of fields that rules find on pages: `for row in crawl.extract("rules.toml")`. The rules are those of
        `hondius extract`, as a file or as a dictionary:

            crawl.extract({"match": "/product/", "fields": {"title": "h1", "price": {"css": ".p", "type": "price"}}})

        Filters: since, until, copies (False by default), noindex, purpose, as for `pages`. URL, host and language are
        chosen by the rules. Raises BadSetting for a wrong rule.
        """
        self._refuse_closed()
        if astray := [name for name in filters if name not in ("since", "until", "copies", "noindex", "purpose")]:
            raise BadSetting(f"{astray[0]} is not a filter of extract: choose URL, host and language in the rules")
        chosen: Filters = {"copies": False, **filters}
        return Extracted(self._crawl, load_rules(rules), make_filter(chosen))

    def consume(
        self, consumer: str, stopped: threading.Event, *, follow: bool = False, **filters: Unpack[Filters]
    ) -> ConsumedPages:
        """The pages of a named consumer, also of one that Hondius uses itself. `stopped` ends the waiting of one that
        follows."""
        self._refuse_closed()
        selected = make_filter(filters)
        self._crawl.consumers.position(consumer)
        if not self._crawl.place.is_writable:
            raise WrongUse(f"{self.name} cannot be written, and a consumer saves its position there: omit `consumer`")
        consumed = ConsumedPages(consumer, self._crawl, self._contents, selected, stopped, follow=follow)
        self._consumed.add(consumed)
        return consumed

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        host: str | Sequence[str] = (),
        language: str | Sequence[str] = (),
        before: Moment = None,
        after: Moment = None,
        copies: bool = False,
        purpose: str = "",
        update: bool = True,
    ) -> Results:
        """The pages that have all words of a query, best first. Needs `pip install 'hondius[search]'`.

            for hit in crawl.search('"old maps" host:example.com -shop'):
                print(hit.url, hit.snippet.to_html())

        A phrase is quoted, `-word` excludes, `word*` is a beginning; host:, lang:, before: and after: are conditions,
        which the arguments of similar names add to. Copies of other pages are left out, and so are pages that ask not
        to be indexed. `purpose` is search, ai-input or ai-train: pages that their owners reserve for it are left out.
        `update` first adds to the index what was crawled since; the first time, that may take a while.
        """
        self._refuse_closed()
        if not isinstance(query, str):
            raise WrongUse(f"{query!r} is no query: give a text")
        conditions = make_conditions(
            host=host, language=language, before=before, after=after, copies=copies, purpose=purpose
        )
        if update:
            self._search.update()
            unread = self._search.unread
            if unread.count:
                warnings.warn(unread.describe(WITHOUT_TEXT, self.name), CrawlWarning, stacklevel=2)
        return self._search.find(query, limit=limit, offset=offset, **conditions)

    def hosts(self) -> Iterator[Host]:
        """All hosts that were contacted, by name."""
        return map(Host.of, self._crawl.catalog.hosts())

    def links(self, url: str) -> list[Link]:
        """The links of a page, as far as the crawl read them; also those out of scope."""
        return self[url].links

    def links_to(self, url: str) -> Generator[Page, None, None]:
        """The pages that link to a URL, also to one out of scope; read while you iterate.

        Links are compared as the crawl compares URLs, so the fragment does not matter. It reads the links of the whole
        crawl: about a second for a million of them. A page that is fetched meanwhile may be missing.
        """
        key = self._find_key(url)
        return (make_page(row, self._contents) for row in self._contents.find_linking_pages(key))

    def sql(
        self,
        query: str,
        *,
        rows: int | None = None,
        seconds: float = 60.0,
        memory: int = 1 << 30,
        noindex: bool = False,
    ) -> "Answer":
        """The rows of one SELECT over the tables pages, hosts, links, errors and fetches.

            for row in crawl.sql("select host, count(*) as n from pages group by host order by n desc"):
                print(row["host"], row["n"])

        `to_arrow()`, `to_pandas()` and `to_polars()` make tables of them. The query runs in a process of its own, which
        can read nothing but these tables. `rows`, `seconds` and `memory` (in bytes) are what it may use; `noindex=True`
        includes the content of pages that ask not to be indexed. A CrawlWarning says how many bodies could not be read,
        if the query reads content. Needs an extra: `pip install 'hondius[sql]'`.
        """
        from hondius.use.sql.limits import Limits
        from hondius.use.sql.loading import Withheld
        from hondius.use.sql.result import ask

        self._refuse_closed()
        if not isinstance(query, str):
            raise WrongUse(f"{query!r} is no query: give a text")
        limits = Limits(seconds=seconds, rows=rows, memory=memory)
        answer = ask(self._crawl, query, limits, Withheld(noindex))
        if answer.unread.count:
            effect = "the query saw these pages without their content"
            warnings.warn(answer.unread.describe(effect, self.name), CrawlWarning, stacklevel=2)
        return answer

    def explain(self, url: str, at: datetime | float | None = None) -> Explanation:
        """Everything known about a URL, and what would happen to it. `at`: what was known at that time."""
        self._refuse_closed()
        moment = at.timestamp() if isinstance(at, datetime) else at
        with open_crawl(Path(self.name)) as now:  # the log of a crawl that was opened earlier has no newer frames
            return explain_url(now, url, moment)

    def report(self, *, host: str | Sequence[str] = (), most: int = DEFAULT_MOST) -> CrawlReport:
        """What was crawled and what is wrong with the sites: broken links, redirects, copies and so on, as values.
        `report.to_html()` is the page that `hondius report` writes. `host`: only this host, or several; `most`: the
        length of each list. Reads the links of all pages, which takes a minute for a million. Raises WrongUse for a
        host that the crawl does not know."""
        self._refuse_closed()
        hosts = [host] if isinstance(host, str) else host
        refuse_unknown_hosts(self._crawl, select_pages(hosts=hosts).hosts, "host")
        return make_report(self._crawl, hosts, most)

    def summary(self) -> Summary:
        """What the crawl has done so far."""
        return summarise(self._crawl)

    def close(self) -> None:
        """Saves what consumers acknowledged, and ends their waiting. Pages that were read keep what they have."""
        self._stopped.set()
        for consumed in tuple(self._consumed):
            consumed.save()
        self._crawl.close()

    def __enter__(self) -> "OpenedCrawl":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<crawl {self.name}>"

    @cached_property
    def _search(self) -> Search:
        return Search(self._crawl)

    @cached_property
    def _contents(self) -> Contents:
        return Contents(self._crawl)

    def _refuse_closed(self) -> None:
        if self._stopped.is_set():
            raise WrongUse(f"{self.name} was closed: open it again with hondius.open({self.name!r})")

    def _find_key(self, url: str) -> bytes:
        self._refuse_closed()
        if not isinstance(url, str):
            raise UnknownUrl(f"{url!r} is no URL: give a text like 'https://example.com/page'")
        try:
            return self._contents.identity.parse(add_scheme(url)).key
        except NativeError as error:
            reason = describe_bad_url(error)
            raise UnknownUrl(f"{url!r} is no URL ({reason}): write it like https://example.com/page") from None
