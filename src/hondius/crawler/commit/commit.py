"""Collects outcomes and writes them, batch by batch, on one worker thread."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from hondius.clock import Clock
from hondius.crawler.commit.catch_up import URLS, ActivatedOrigins, apply_to_urls, find_broken_view
from hondius.crawler.commit.copies import Original, name_original, pass_body_on
from hondius.crawler.commit.order import CommitOrder, Draft, choose_order
from hondius.crawler.commit.outcome import Change, FetchRecord, Outcome
from hondius.crawler.commit.routing import WHOLE_CRAWL
from hondius.errors import BrokenView, DiskFull, is_internal
from hondius.hints import quote_command
from hondius.model import AnyEvent, Archived, Finished, Frame, HostState, LinksKept
from hondius.native import NativeError
from hondius.ports import ArchiveReceipt, Stores
from hondius.settings import StoreSettings

Result = TypeVar("Result")
Written = tuple[Frame | None, Sequence[Change]]
"""A durable frame, and the changes that are durable with it. There may be such changes that needed no frame."""
Lost = tuple[Change, BaseException]
"""A change that cannot be written, and the exception that says why."""

RETRY_FULL_DISK = 1.0
LAST_PATIENCE = 5.0
LATE = 0.5
"""Seconds after which what waits here stops the hand-out: no answer may be older than a second and not durable."""


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who is told of what the commit does."""

    on_applied: Callable[[ActivatedOrigins], None]
    """The URL store has a frame: these origins have something to do."""
    on_host_saved: Callable[[str], None]
    """The views have the newest state of a host."""
    on_view_broken: Callable[[], None]
    on_unwritable: Callable[[Change, BaseException], None]
    """A change meets a bug when it is written."""
    on_body_passed_on: Callable[[Finished, Finished | None], None]
    """A page that cannot be written is not the first with its body any more; another page is, or none."""
    on_unshown_events: Callable[[Frame, int], None]
    """A frame has so many events that a view cannot show."""
    find_original: Callable[[Finished], Original | None]
    """Asked on the worker thread: of which page is this one a copy? None: of none that is known."""


class Commit:
    def __init__(
        self,
        stores: Stores,
        settings: StoreSettings,
        clock: Clock,
        listeners: Listeners,
        order: CommitOrder | None = None,
    ) -> None:
        """`order`: None: that of a log that this process alone writes."""
        self._order = order or choose_order(stores.log, stores.urls)
        self._disk = stores.place.disk
        self._archive = stores.archive
        self._links = stores.links
        self._log = stores.log
        self._end = stores.log.end
        """Behind the last frame that was written here, and returned by the log."""
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
        self._behind: set[str] = set()
        """Views that lack a frame, for want of room at the end of the run."""
        self.paused = ""
        """Why nothing can be written at the moment; empty when it can."""
        self._found_broken: BrokenView | None = None
        """A view that the worker thread found broken; the event loop gives it up."""
        self.broken: BrokenView | None = None
        """A view that takes no more frames. The log does: what is under way is kept, and the crawl opened anew."""

    def submit(self, outcome: Outcome) -> None:
        if not self._outcomes:
            self._oldest = self._clock.now()
        self._outcomes.append(outcome)
        self._arrived.set()
        self._changes += outcome.size
        if self._changes >= self._settings.commit_changes:
            self._wanted.set()

    def submit_host(self, state: HostState) -> None:
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

    def abandon_view(self, view: BrokenView) -> None:
        """Whoever reads or writes it found it broken: the first that is told of is mended first."""
        if self.broken is None:
            self.broken = view
            self._listeners.on_view_broken()

    @property
    def is_idle(self) -> bool:
        return not self._outcomes and not self._hosts and not self._writing_since

    @property
    def is_applied(self) -> bool:
        """Nothing waits, and every view has all of it."""
        return self.is_idle and all(view.position.covers(self._log.end) for view in self._views)

    async def run(self) -> None:
        """Until `close`."""
        while not self._closing or self._outcomes or self._hosts:
            await self._wait_for_batch()
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

    async def _wait_for_batch(self) -> None:
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
        written, lost = await self._write_all([*outcomes, *hosts.values()])
        for frame, changes in written:
            await self._announce(frame, changes)
        for change, error in lost:
            self._listeners.on_unwritable(change, error)
        self._writing_since = 0.0
        for frame, changes in written:
            await self._apply_to_views(frame, changes)

    async def _write_all(self, changes: Sequence[Change]) -> tuple[list[Written], list[Lost]]:
        """Returns what was written, and what cannot be."""
        written: list[Written] = []
        lost: list[Lost] = []
        self._end = self._log.end
        for draft in self._order.plan_drafts(changes):
            if lost:
                gone = {id(change) for change, _ in lost}
                draft = draft._replace(changes=[change for change in draft.changes if id(change) not in gone])
            if draft.changes:
                lost += await self._write_draft(draft, written, changes)
        if self._archived or self._links_kept:
            written.append((await self._write_frame(Draft(WHOLE_CRAWL, ())), ()))
        return written, lost

    async def _write_draft(self, draft: Draft, written: list[Written], batch: Sequence[Change]) -> list[Lost]:
        """Writes the changes in one frame. If that meets a bug, each half gets a frame of its own, and so on, down to
        single changes. Returns those that cannot be written even alone; no later frame has anything of them. `batch`:
        all changes that are written together, in their order."""
        changes = draft.changes
        try:
            frame = await self._write_frame(draft)
        except BaseException as error:
            if not is_internal(error) or not changes or self._log.end != self._end:
                raise
            if len(changes) == 1:
                self._pass_body_on(changes[0], batch)
                return [(changes[0], error)]
            first, second = changes[: len(changes) // 2], changes[len(changes) // 2 :]
            lost = await self._write_draft(draft._replace(changes=first), written, batch)
            return lost + await self._write_draft(draft._replace(changes=second), written, batch)
        written.append((frame, () if draft.is_ahead else changes))
        return []

    async def _write_frame(self, draft: Draft) -> Frame | None:
        """A frame that failed after its records were archived is tried again without archiving them twice."""
        if not draft.is_ahead:
            await self._archive_records(draft.changes)
            await self._keep_links(draft.changes)
        events = self._order.make_events(draft)
        lengths = self._list_lengths()
        if events is None and not lengths:
            return None
        whole = lengths + (events or [])
        frame = await self._run_with_room(lambda: self._log.append(whole, self._clock.now(), draft.partition))
        self._end = self._log.end
        self._archived.clear()
        self._links_kept.clear()
        self._order.mark_written(draft)
        return frame

    def _list_lengths(self) -> list[AnyEvent]:
        archived: list[AnyEvent] = [Archived(file, length) for file, length in self._archived.items()]
        return archived + [LinksKept(file, length) for file, length in self._links_kept.items()]

    async def _archive_records(self, changes: Sequence[Change]) -> None:
        new = [
            (change, change.record)
            for change in changes
            if isinstance(change, Outcome) and change.record is not None and change.record.place is None
        ]
        if not new:
            return
        receipt = await self._run_with_room(lambda: self._name_and_archive(new))
        if self._found_broken is not None:
            self.abandon_view(self._found_broken)
        for (_, record), place in zip(new, receipt.positions, strict=True):
            record.place = place
        self._archived.update(receipt.durable)

    def _name_and_archive(self, new: Sequence[tuple[Outcome, FetchRecord]]) -> ArchiveReceipt:
        """On the worker thread: names the originals of copies, then archives. A copy of nothing that can be named is
        kept whole, as the first page with its body."""
        for outcome, record in new:
            if record.is_unnamed_copy and outcome.finished is not None:
                name_original(outcome, record, self._find_original(outcome.finished))
        return self._archive.append([record for _, record in new])

    def _find_original(self, page: Finished) -> Original | None:
        try:
            return self._listeners.find_original(page)
        except (BrokenView, NativeError) as error:
            self._found_broken = find_broken_view(error)
            if self._found_broken is None:
                raise
            return None

    async def _keep_links(self, changes: Sequence[Change]) -> None:
        """Once for each page, also if its frame is tried again."""
        new = [
            change.links
            for change in changes
            if isinstance(change, Outcome) and change.links is not None and change.links.place is None
        ]
        if not new:
            return
        receipt = await self._run_with_room(lambda: self._links.append([links.source for links in new]))
        for links, place in zip(new, receipt.places, strict=True):
            links.place = place
        self._links_kept.update(receipt.durable)

    def _pass_body_on(self, lost: Change, batch: Sequence[Change]) -> None:
        if isinstance(lost, HostState) or lost.finished is None:
            return
        place = next(place for place, change in enumerate(batch) if change is lost)
        first = pass_body_on(lost.finished, (*batch[place + 1 :], *self._outcomes))
        self._listeners.on_body_passed_on(lost.finished, first)

    async def _announce(self, frame: Frame | None, changes: Sequence[Change]) -> None:
        """Applies a durable frame to the URL store, and tells whoever waits for it."""
        woken = None if frame is None else await self._apply(URLS, partial(apply_to_urls, self._urls, frame))
        for change in changes:
            if isinstance(change, Outcome) and change.on_durable is not None:
                change.on_durable()
        self._listeners.on_applied(woken or [])

    async def _apply_to_views(self, frame: Frame | None, changes: Sequence[Change]) -> None:
        if frame is not None:
            bugs = [await self._apply(view.name, partial(view.apply, [frame])) or 0 for view in self._views]
            if any(bugs):
                self._listeners.on_unshown_events(frame, max(bugs))
        for change in changes:
            if isinstance(change, HostState) and change.host not in self._hosts:
                self._listeners.on_host_saved(change.host)

    async def _apply(self, view: str, step: Callable[[], Result]) -> Result | None:
        """One step of a view. What it cannot take now it takes at the next start: the frame is durable. Nor does it
        take those that follow, whichever partition they are of: it takes all frames in their order."""
        if view in self._behind or (self.broken is not None and self.broken.view.name == view):
            return None
        try:
            return await self._run_with_room(step)
        except BrokenView as broken:
            self.abandon_view(broken)
        except DiskFull:
            if not self._closing:
                raise
            self._behind.add(view)
        return None

    async def _run_with_room(self, step: Callable[[], Result]) -> Result:
        """Does a step on the worker thread; on a full disk, again and again until there is room."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                result = await loop.run_in_executor(self._worker, self._run_if_room, step)
            except DiskFull as full:
                self.paused = str(full)
                if self._clock.now() > self._patience_ends:
                    again = quote_command("resume", self._disk.place)
                    raise DiskFull(f"{full}, then {again} fetches again what could not be written") from None
                await self._clock.sleep_until(self._clock.now() + RETRY_FULL_DISK)
            else:
                self.paused = ""
                return result

    def _run_if_room(self, step: Callable[[], Result]) -> Result:
        """The views cannot be trusted on a disk that is full to the brim, so some room is always left."""
        wanted = self._settings.free_bytes
        if wanted and self._disk.free_bytes() < wanted:
            raise DiskFull(f"the disk has less than {wanted // 2**20} MiB left; make room")
        return step()
