"""`hondius.Crawler`: a crawl with hooks."""

from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar, Unpack

from hondius.python.call import CrawlCall, Seeds
from hondius.python.crawling import BUFFER, RunningCrawl
from hondius.python.hook_set import Classify, Extract, Follow, HookSet, Predict, Sink, check_hook
from hondius.python.options import CrawlOptions
from hondius.python.synchronous import SyncCrawl

AnyFollow = TypeVar("AnyFollow", bound=Follow)
AnyExtract = TypeVar("AnyExtract", bound=Extract)
AnyClassify = TypeVar("AnyClassify", bound=Classify)
AnyPredict = TypeVar("AnyPredict", bound=Predict)
AnySink = TypeVar("AnySink", bound=Sink)
NO_FUNCTION: Any = None
"""What a decorator that is written with parentheses gets."""


class Crawler:
    """A crawl with hooks: functions that are called once for each page, on worker threads, with a time limit.

        crawler = hondius.Crawler("https://shop.example/", into="shop")

        @crawler.follow
        def products(page, links):
            return [link for link in links if "/product/" in link.url]

        @crawler.extract
        def price(page):
            return {"price": page.json_ld("Product").get("offers")}

        crawler.run()

    `run` and `arun` crawl until the end. As a context manager (`with` or `async with`) it gives its pages, as
    `hondius.crawl` does. Each of them continues the crawl where it stopped.

    A hook that raises an exception or takes longer than `hooks.timeout` is reported with its URL in `crawl.log` and by
    `explain`; `summary["hook_failures"]` counts such calls, and a CrawlWarning names the first. The crawl goes on: the
    page has no value of this hook, and if a follow hook failed, no new link of the page is followed. With
    `on_hook_error="stop"` the crawl stops instead.
    """

    def __init__(
        self,
        *seeds: Seeds,
        into: str | Path | None = None,
        seeds_file: str | Path | None = None,
        add_seeds: bool = False,
        **options: Unpack[CrawlOptions],
    ) -> None:
        """The arguments are those of `hondius.crawl`."""
        self._call = CrawlCall(seeds, into, seeds_file, options, add_seeds=add_seeds)
        self._hooks = HookSet()
        self._entered: list[RunningCrawl | SyncCrawl] = []

    def follow(self, function: AnyFollow = NO_FUNCTION) -> AnyFollow:
        """Registers a function of a page and its links that the crawl does not know yet. It returns the links to
        follow; or pairs of link and score, or a mapping, with scores from 0 to 1: the priority of the link. Scope,
        limits and robots.txt hold for what it returns. If several are registered, each is given what the one before
        follows."""
        check_hook("follow", function)
        self._hooks.follow.append(function)
        return function

    def extract(self, function: AnyExtract = NO_FUNCTION) -> AnyExtract:
        """Registers a function of a page that returns a dictionary of values, or None. They are stored with the page:
        `page.extracted`, and `extracted` in exports."""
        check_hook("extract", function)
        self._hooks.extract.append(function)
        return function

    def classify(self, function: AnyClassify = NO_FUNCTION) -> AnyClassify:
        """Registers a function of a page that returns a score from 0 to 1, a label, several labels, or a pair of label
        or labels and score. They are stored as `labels` and `score` of `page.extracted`. The links of a page have the
        mean of its score and their usual priority."""
        check_hook("classify", function)
        self._hooks.classify.append(function)
        return function

    def predict(self, function: AnyPredict = NO_FUNCTION) -> AnyPredict:
        """Registers a function of a page that returns the seconds until the page is expected to change, or None.
        Without a budget the page is due again after that time, within `recrawl.shortest` and `recrawl.longest`; with
        one, it replaces the estimate for the page. If several return a number, the last counts. It is not called for a
        page that answers that it has not changed."""
        check_hook("predict", function)
        self._hooks.predict.append(function)
        return function

    def sink(self, function: AnySink = NO_FUNCTION) -> AnySink:
        """Registers a function that is called with each page when it is durable: at least once, also after
        `kill -9`. It is a named consumer of the crawl, `sink.` and the name of the function. If it fails for a page, it
        is still called for later ones; the next run calls it again for that page and all after it."""
        check_hook("sink", function)
        self._hooks.sink.append(function)
        return function

    async def arun(self) -> dict[str, Any]:
        """Crawls until the end, and returns the figures of the run, as `hondius crawl --json` prints them."""
        async with self._make() as crawl:
            await crawl.finish()
        return crawl.summary

    def run(self) -> dict[str, Any]:
        """The same without `await`. It also works inside a running event loop, which it blocks."""
        with SyncCrawl(self._make()) as crawl:
            crawl.finish()
        return crawl.summary

    async def __aenter__(self) -> RunningCrawl:
        crawl = await self._make().__aenter__()
        self._entered.append(crawl)
        return crawl

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        crawl = self._entered.pop()
        assert isinstance(crawl, RunningCrawl)
        await crawl.__aexit__(kind, error, traceback)

    def __enter__(self) -> SyncCrawl:
        crawl = SyncCrawl(self._make()).__enter__()
        self._entered.append(crawl)
        return crawl

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        crawl = self._entered.pop()
        assert isinstance(crawl, SyncCrawl)
        crawl.__exit__(kind, error, traceback)

    def _make(self) -> RunningCrawl:
        return RunningCrawl(self._call, hooks=self._hooks, buffer=BUFFER)
