"""Collects outcomes and writes them, batch by batch, on one worker thread."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import msgspec

from hondius.clock import Clock
from hondius.crawler.commit.catch_up import URLS, Woken, apply_to_urls, broken_view
from hondius.crawler.commit.outcome import Outcome
from hondius.errors import BrokenView, DiskFull, is_internal
from hondius.hints import quote_command
from hondius.model import AnyEvent, Archived, Discovered, Finished, FoundCloser, Frame, HostState, LinksKept, State
from hondius.native import NativeError
from hondius.ports import ArchiveReceipt, Stores
from hondius.settings import StoreSettings

Result = TypeVar("Result")
Change = Outcome | HostState
Lost = tuple[Change, BaseException]
"""A change that cannot be written, and the exception that says why."""


class Original(Protocol):
    @property
    def of(self) -> str:
        """Its URL."""

    @property
    def date(self) -> str:
        """The WARC date of its record."""


NOT_MODIFIED = 304
RETRY_FULL_DISK = 1.0
LAST_PATIENCE = 5.0
LATE = 0.5
"""Seconds after which what waits here stops the hand-out: no answer may be older than a second and not durable."""


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who is told of what the commit does."""

    applied: Callable[[Woken], None]
    """The URL store has a frame: these origins have something to do."""
    host_saved: Callable[[str], None]
    """The views have the newest state of a host."""
    view_broke: Callable[[], None]
    unwritable: Callable[[Change, BaseException], None]
    """A change meets a bug when it is written."""
    body_passed_on: Callable[[Finished, Finished | None], None]
    """A page that cannot be written is not the first with its body any more; another page is, or none."""
    not_shown: Callable[[Frame, int], None]
    """A frame has so many events that a view cannot show."""
    find_original: Callable[[Finished], Original | None]
    """Asked on the worker thread: of which page is this one a copy? None: of none that is known."""


class Commit:
    def __init__(self, stores: Stores, settings: StoreSettings, clock: Clock, listeners: Listeners) -> None:
        self._disk = stores.place.disk
        self._archive = stores.archive
        self._links = stores.links
        self._log = stores.log
        self._urls = stores.urls
        self._views = stores.views
        self._clock = clock
        self._settings = settings
        self._listeners = listeners
        self._archived: dict[str, int] = {}
        """Lengths of archive files that no frame tells of yet."""
        self._links_kept: dict[str, int] = {}
        """The same of link segments."""
        self._outcomes: list[Outcome] = []
        self._hosts: dict[str, HostState] = {}
        self._changes = 0
        self._oldest = 0.0
        self._writing_since = 0.0
        self._arrived = asyncio.Event()
        """Something is here to be written, or it is over."""
        self._wanted = asyncio.Event()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-commit")
        self._closing = False
        self._patience_ends = float("inf")
        self.paused = ""
        """Why nothing can be written at the moment; empty when it can."""
        self._found_broken: BrokenView | None = None
        """A view that the worker thread found broken; the event loop gives it up."""
        self.broken: BrokenView | None = None
        """A view that takes no more frames. The log does: what is under way is kept, and the crawl opened anew."""

    def leave(self, outcome: Outcome) -> None:
        if not self._outcomes:
            self._oldest = self._clock.now()
        self._outcomes.append(outcome)
        self._arrived.set()
        self._changes += outcome.size
        if self._changes >= self._settings.commit_changes:
            self._wanted.set()

    def leave_host(self, state: HostState) -> None:
        """Only the newest state of a host within a frame is written."""
        self._hosts[state.host] = state
        self._arrived.set()

    def hurry(self) -> None:
        """Write what is here without waiting for more."""
        self._wanted.set()

    def accepts(self) -> bool:
        """False: hand out nothing new, the disk does not keep up."""
        late = self._clock.now() - self._waiting_since() > LATE
        return not self.paused and not late and self._changes < 8 * self._settings.commit_changes

    def give_up(self, view: BrokenView) -> None:
        """Whoever reads or writes it found it broken: the first that is told of is mended first."""
        if self.broken is None:
            self.broken = view
            self._listeners.view_broke()

    @property
    def idle(self) -> bool:
        return not self._outcomes and not self._hosts and not self._writing_since

    @property
    def is_known(self) -> bool:
        """Nothing waits, and every view has all of it."""
        return self.idle and all(view.position.covers(self._log.end) for view in self._views)

    async def run(self) -> None:
        """Until `close`."""
        while not self._closing or self._outcomes or self._hosts:
            await self._pause_between()
            if self._outcomes or self._hosts:
                await self._write()

    def close(self) -> None:
        """The last outcomes are written by `run`, which then ends. On a full disk it does not wait for ever, and where
        it has waited already it tries once more: what is not in a frame has not happened, and its URLs are still
        queued."""
        self._closing = True
        self._patience_ends = self._clock.now() + (0.0 if self.paused else LAST_PATIENCE)
        self._arrived.set()
        self._wanted.set()

    async def _pause_between(self) -> None:
        """No outcome waits here for longer than the interval, however long the writing before it took."""
        await self._arrived.wait()
        if self._closing:
            return
        waited = self._clock.now() - self._oldest if self._outcomes else 0.0
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wanted.wait(), max(0.0, self._settings.commit_interval - waited))
        self._wanted.clear()

    def _waiting_since(self) -> float:
        """When the oldest outcome came that is not durable yet; now, where there is none."""
        return self._writing_since or (self._oldest if self._outcomes else self._clock.now())

    async def _write(self) -> None:
        self._arrived.clear()
        self._writing_since = self._waiting_since()
        outcomes, self._outcomes = self._outcomes, []
        hosts, self._hosts = self._hosts, {}
        self._changes = 0
        written: list[tuple[Frame, Sequence[Change]]] = []
        lost = await self._keep([*outcomes, *hosts.values()], written)
        if self._archived or self._links_kept:
            written.append((await self._write_frame(()), ()))
        for frame, changes in written:
            await self._tell_of(frame, changes)
        for change, error in lost:
            self._listeners.unwritable(change, error)
        self._writing_since = 0.0
        for frame, changes in written:
            await self._apply_to_views(frame, changes)

    async def _keep(
        self,
        changes: Sequence[Change],
        written: list[tuple[Frame, Sequence[Change]]],
        following: Sequence[Change] = (),
    ) -> list[Lost]:
        """Writes the changes in one frame. If that meets a bug, each half gets a frame of its own, and so on, down to
        single changes. Returns those that cannot be written even alone; nothing of them is in any frame. `following`:
        what is written after these changes."""
        before = self._log.end
        try:
            written.append((await self._write_frame(changes), changes))
        except BaseException as error:
            if not is_internal(error) or not changes or self._log.end != before:
                raise
            if len(changes) == 1:
                self._pass_body_on(changes[0], following)
                return [(changes[0], error)]
            first, second = changes[: len(changes) // 2], changes[len(changes) // 2 :]
            lost = await self._keep(first, written, [*second, *following])
            return lost + await self._keep(second, written, following)
        return []

    async def _write_frame(self, changes: Sequence[Change]) -> Frame:
        """A frame that failed after its records were archived is tried again without archiving them twice."""
        new = [change for change in changes if isinstance(change, Outcome) and change.is_unarchived]
        if new:
            receipt = await self._with_room(lambda: self._archive_named(new))
            if self._found_broken is not None:
                self.give_up(self._found_broken)
            for outcome, place in zip(new, receipt.positions, strict=True):
                outcome.place = place
            self._archived.update(receipt.durable)
        await self._keep_links(changes)
        events = events_of(changes, self._archived, self._links_kept)
        frame = await self._with_room(lambda: self._log.append(events, self._clock.now()))
        self._archived.clear()
        self._links_kept.clear()
        return frame

    def _archive_named(self, new: Sequence[Outcome]) -> ArchiveReceipt:
        """On the worker thread: names the originals of copies, then archives. A copy of nothing that can be named is
        kept whole, as the first page with its body."""
        for outcome in new:
            if outcome.is_unnamed_copy and outcome.finished is not None:
                self._name_original(outcome, outcome.finished)
        return self._archive.append(new)

    def _name_original(self, outcome: Outcome, page: Finished) -> None:
        original: Original | None = None
        try:
            original = self._listeners.find_original(page)
        except (BrokenView, NativeError) as error:
            self._found_broken = broken_view(error)
            if self._found_broken is None:
                raise
        outcome.copy_of, outcome.copy_date = (original.of, original.date) if original is not None else (None, None)
        outcome.finished = (
            msgspec.structs.replace(page, copy_of=original.of) if original is not None else made_first(page)
        )
        outcome.is_unnamed_copy = False

    async def _keep_links(self, changes: Sequence[Change]) -> None:
        """Once for each page, also if its frame is tried again."""
        outcomes = [change for change in changes if isinstance(change, Outcome)]
        new = [(outcome, source) for outcome in outcomes if (source := outcome.link_source) is not None]
        if not new:
            return
        receipt = await self._with_room(lambda: self._links.append([source for _, source in new]))
        for (outcome, _), place in zip(new, receipt.places, strict=True):
            outcome.links_place = place
        self._links_kept.update(receipt.durable)

    def _pass_body_on(self, lost: Change, following: Sequence[Change]) -> None:
        """Nothing may be a copy of a page that is in no frame. The first of its copies takes its place; each of them
        is archived whole. Copies come after their original, so none is written yet."""
        if not isinstance(lost, Outcome) or lost.finished is None:
            return
        first: Finished | None = None
        for copy in (*following, *self._outcomes):
            if isinstance(copy, Outcome) and copy.finished is not None and is_copy(copy.finished, lost.finished):
                copy.finished = made_first(copy.finished) if first is None else copy_of(copy.finished, first)
                copy.copy_of = copy.copy_date = copy.place = None
                first = first or copy.finished
        self._listeners.body_passed_on(lost.finished, first)

    async def _tell_of(self, frame: Frame, changes: Sequence[Change]) -> None:
        """Applies a durable frame to the URL store, and tells whoever waits for it."""
        woken = await self._apply(URLS, lambda: apply_to_urls(self._urls, frame))
        for change in changes:
            if isinstance(change, Outcome) and change.durable is not None:
                change.durable()
        self._listeners.applied(woken or [])

    async def _apply_to_views(self, frame: Frame, changes: Sequence[Change]) -> None:
        bugs = [await self._apply(view.name, partial(view.apply, [frame])) or 0 for view in self._views]
        if any(bugs):
            self._listeners.not_shown(frame, max(bugs))
        for change in changes:
            if isinstance(change, HostState) and change.host not in self._hosts:
                self._listeners.host_saved(change.host)

    async def _apply(self, view: str, step: Callable[[], Result]) -> Result | None:
        """One step of a view. What it cannot take now it takes at the next start: the frame is durable."""
        if self.broken is not None and self.broken.view.name == view:
            return None
        try:
            return await self._with_room(step)
        except BrokenView as broken:
            self.give_up(broken)
        except DiskFull:
            if not self._closing:
                raise
        return None

    async def _with_room(self, step: Callable[[], Result]) -> Result:
        """Does a step on the worker thread; on a full disk, again and again until there is room."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                result = await loop.run_in_executor(self._worker, self._if_room, step)
            except DiskFull as full:
                self.paused = str(full)
                if self._clock.now() > self._patience_ends:
                    again = quote_command("resume", self._disk.place)
                    raise DiskFull(f"{full}, then {again} fetches again what could not be written") from None
                await self._clock.sleep_until(self._clock.now() + RETRY_FULL_DISK)
            else:
                self.paused = ""
                return result

    def _if_room(self, step: Callable[[], Result]) -> Result:
        """The views cannot be trusted on a disk that is full to the brim, so some room is always left."""
        wanted = self._settings.free_bytes
        if wanted and self._disk.free_bytes() < wanted:
            raise DiskFull(f"the disk has less than {wanted // 2**20} MiB left; make room")
        return step()


def events_of(changes: Sequence[Change], durable: Mapping[str, int], links_kept: Mapping[str, int]) -> list[AnyEvent]:
    """The frame, in an order in which it can be read: what is archived, what is new, what ended, what is closer than it
    was, who waits. The end of a URL is left before anybody can find it closer than that end says."""
    archived: list[AnyEvent] = [Archived(file, length) for file, length in durable.items()]
    archived += [LinksKept(file, length) for file, length in links_kept.items()]
    discovered: list[AnyEvent] = []
    others: list[AnyEvent] = []
    finished: list[AnyEvent] = []
    closer: list[AnyEvent] = []
    hosts: list[AnyEvent] = []
    for change in changes:
        if isinstance(change, HostState):
            hosts.append(change)
            continue
        discovered += [Discovered(found.data, found.count) for found in change.discoveries if found.count]
        closer += [FoundCloser(found.closer, found.closer_count) for found in change.discoveries if found.closer_count]
        others += change.events
        if change.finished is not None:
            finished.append(_placed(change.finished, change.place, change.links_place))
    return archived + discovered + others + finished + closer + hosts


def is_copy(page: Finished, original: Finished) -> bool:
    """Whether its own answer had the body of the original. A 304 has none: it refers to a record of an earlier day."""
    return (
        page.state is State.DUPLICATE
        and page.copy_of == original.url
        and page.content_hash == original.content_hash
        and page.status != NOT_MODIFIED
    )


def made_first(page: Finished) -> Finished:
    return msgspec.structs.replace(page, state=State.COMPLETED, cause="", copy_of=None)


def copy_of(page: Finished, original: Finished) -> Finished:
    return msgspec.structs.replace(page, copy_of=original.url)


def _placed(event: Finished, place: tuple[str, int, int] | None, links: tuple[str, int, int] | None) -> Finished:
    places: dict[str, str | int] = {}
    if place is not None:
        places["warc_file"], places["warc_offset"], places["warc_length"] = place
    if links is not None:
        places["links_file"], places["links_offset"], places["links_index"] = links
    return msgspec.structs.replace(event, **places) if places else event
