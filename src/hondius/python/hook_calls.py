"""Calls hooks for one page after the other: on threads, with a time limit, and without letting them do harm."""

import json
import traceback
from collections.abc import Callable
from typing import Any

from hondius.crawler.page import HookFailure, Judgement
from hondius.errors import HookStopped
from hondius.model import Finished
from hondius.native import Fetched
from hondius.python.fetched_page import FetchedPages
from hondius.python.hook_set import HookSet, name_hook, parse_classified, parse_extracted, parse_followed
from hondius.python.hook_threads import HookThreads
from hondius.python.page import Page
from hondius.python.parts import Link
from hondius.sanitise import replace_surrogates
from hondius.settings import Settings

LONGEST_REASON = 500
LONGEST_TRACEBACK = 20_000
"""Characters. The end of a longer one is kept."""


class HookCalls:
    """`PageHooks` of a crawl. Also calls its sinks."""

    def __init__(self, hooks: HookSet, settings: Settings) -> None:
        self._hooks = hooks
        self._settings = settings.hooks
        self._pages = FetchedPages(settings)
        self._threads = HookThreads(settings.hooks.threads)
        self.first_failure = ""
        """The hook, its URL and the reason."""

    async def judge(self, end: Finished, fetched: Fetched, is_known: Callable[[bytes], bool]) -> Judgement:
        visit = Visit(self._hooks, self._pages.make_page(end, fetched), fetched, is_known, self._settings.max_extracted)
        if not await self._threads.run(visit.run, self._settings.timeout):
            visit.note_timeout(self._settings.timeout)
        elif visit.broken is not None:
            raise visit.broken
        judged = visit.make_judgement()
        for failure in judged.failures:
            self._stop_if_wanted(failure, end.url)
        return judged

    async def call_sink(self, sink: Callable[[Page], object], page: Page) -> HookFailure | None:
        """Returns why it failed, or None."""
        call = Call(name_hook(sink), lambda: sink(page))
        if not await self._threads.run(call.run, self._settings.timeout):
            call.failure = _make_timeout(call.hook, self._settings.timeout)
        if call.failure is not None:
            self._stop_if_wanted(call.failure, page.url)
        return call.failure

    def close(self) -> None:
        self._threads.close()

    def _stop_if_wanted(self, failure: HookFailure, url: str) -> None:
        self.first_failure = self.first_failure or f"{failure.hook} for {url} ({failure.reason})"
        if self._settings.on_error == "stop":
            raise HookStopped(
                f"the hook {failure.hook} failed for {url} ({failure.reason}): the crawl stops because on_hook_error "
                'is "stop"; the same call continues it'
            ) from failure.error
        if self._threads.abandoned > self._settings.max_abandoned:
            raise HookStopped(
                f"{self._threads.abandoned} threads hang in hooks, the last in {failure.hook} for {url}: the crawl "
                "stops; correct the hook or raise hooks.timeout, and the same call continues it"
            )


class Call:
    """One call of a hook."""

    def __init__(self, hook: str, work: Callable[[], object]) -> None:
        self.hook = hook
        self.failure: HookFailure | None = None
        self._work = work

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self.failure = make_failure(self.hook, error)


class Visit:
    """The calls for one page, on one thread. If they take too long, what is complete by then counts.

    If a follow hook fails, or there was no time for it, no new link of the page is followed: a hook that narrows the
    crawl must not widen it by failing. Another page that has these links offers them again."""

    def __init__(
        self, hooks: HookSet, page: Page, fetched: Fetched, is_known: Callable[[bytes], bool], max_extracted: int
    ) -> None:
        self._hooks = hooks
        self._page = page
        self._fetched = fetched
        self._is_known = is_known
        self._max_extracted = max_extracted
        self._current = ""
        self.broken: BaseException | None = None
        """Why the store could not say which links are known. This is no failure of a hook."""
        self._is_over = False
        self._has_followed = False
        self._refused: frozenset[bytes] = frozenset()
        self._priorities: dict[bytes, float] = {}
        self._score: float | None = None
        self._values: dict[str, Any] = {}
        self._extracted = ""
        self._failures: list[HookFailure] = []

    def run(self) -> None:
        for hook in self._hooks.classify:
            self._call(hook, self._classify)
        for hook in self._hooks.extract:
            self._call(hook, self._extract)
        if self._hooks.follow and not self._is_over:
            try:
                offered = self._list_unknown()
            except BaseException as error:
                self.broken = error
                return
            self._ask_follow_hooks(offered)
            self._has_followed = True

    def _ask_follow_hooks(self, offered: dict[str, tuple[Link, bytes]]) -> None:
        for follow in self._hooks.follow:
            if not self._call(follow, lambda hook: self._follow(hook, offered)):
                self._refuse(offered)
                return

    def note_timeout(self, seconds: float) -> None:
        self._is_over = True
        self._failures.append(_make_timeout(self._current, seconds))
        if self._hooks.follow and not self._has_followed and self._fetched.page is not None:
            self._refused |= frozenset(link.key for link in self._fetched.page.links)

    def make_judgement(self) -> Judgement:
        self._is_over = True
        return Judgement(self._refused, self._priorities, self._score, self._extracted, tuple(self._failures))

    def _call(self, hook: Callable[..., Any], step: Callable[[Any], None]) -> bool:
        """Returns whether it succeeded."""
        if self._is_over:
            return False
        self._current = name_hook(hook)
        try:
            step(hook)
        except BaseException as error:
            self._failures.append(make_failure(self._current, error))
            return False
        return True

    def _classify(self, classify: Callable[[Page], Any]) -> None:
        labels, score = parse_classified(classify(self._page))
        known = self._values.get("labels", [])
        values: dict[str, Any] = {"labels": [*known, *labels]} if labels else {}
        if score is not None:
            values["score"] = score
        self._keep(values)
        self._score = self._score if score is None else score

    def _extract(self, extract: Callable[[Page], Any]) -> None:
        self._keep(parse_extracted(extract(self._page)))

    def _keep(self, values: dict[str, Any]) -> None:
        """Raises TypeError or ValueError if JSON cannot represent them, or they are too long."""
        merged = self._values | values
        text = json.dumps(merged, ensure_ascii=False, allow_nan=False) if merged else ""
        if len(text.encode("utf-8", "surrogatepass")) > self._max_extracted:
            raise ValueError(f"what was extracted is longer than {self._max_extracted:,} bytes (hooks.max_extracted)")
        text.encode()  # lone surrogates cannot be stored
        if not self._is_over:
            self._values, self._extracted = merged, text

    def _list_unknown(self) -> dict[str, tuple[Link, bytes]]:
        page = self._fetched.page
        links = [] if page is None else page.links
        return {link.href: (Link.of(link), link.key) for link in links if not self._is_known(link.key)}

    def _follow(self, follow: Callable[..., Any], offered: dict[str, tuple[Link, bytes]]) -> None:
        """The next hook is offered what this one follows."""
        followed = parse_followed(
            follow(self._page, [link for link, _ in offered.values()]), {url: key for url, (_, key) in offered.items()}
        )
        if self._is_over:
            return
        left = {url: offered.pop(url) for url in [url for url, (_, key) in offered.items() if key not in followed]}
        self._refuse(left)
        self._priorities |= {key: score for key, score in followed.items() if score is not None}

    def _refuse(self, offered: dict[str, tuple[Link, bytes]]) -> None:
        if not self._is_over:
            self._refused |= frozenset(key for _, key in offered.values())


def make_failure(hook: str, error: BaseException) -> HookFailure:
    """Never raises, whatever the exception does when it is described. Its text can be written to the log and to
    messages: it has no lone surrogates."""
    try:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        trace = "".join(traceback.format_exception(error)).rstrip()
    except BaseException:
        reason, trace = "it raised an exception that cannot be described", ""
    if len(trace) > LONGEST_TRACEBACK:
        trace = f"…{trace[-LONGEST_TRACEBACK:]}"
    return HookFailure(hook, replace_surrogates(reason[:LONGEST_REASON]), replace_surrogates(trace), error)


def _make_timeout(hook: str, seconds: float) -> HookFailure:
    return HookFailure(hook, f"it took longer than {seconds:g} s (hooks.timeout)")
