"""Collects outcomes and writes them in batches, on one worker thread."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from hondius.clock import Clock
from hondius.crawler.commit.catch_up import URLS, ActivatedOrigins, apply_to_urls, find_broken_view
from hondius.crawler.commit.copies import Original, name_original, pass_body_on, pass_cluster_on
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
"""A durable frame, and the changes that became durable with it. Some changes need no frame."""
Lost = tuple[Change, BaseException]
"""A change that cannot be written, and the exception that prevents it."""

RETRY_FULL_DISK = 1.0
"""Seconds between two tries on a full disk."""
LAST_PATIENCE = 5.0
"""Seconds that the last batch of a run waits for room on the disk."""
LATE = 0.5
"""Seconds. If something waits longer here, nothing new is handed out: no answer may be older than a second and not
durable."""


@dataclass(frozen=True, slots=True)
class Listeners:
    """Callbacks of the commit."""

    on_applied: Callable[[ActivatedOrigins], None]
    """The URL store has applied a frame: these origins have something to do."""
    on_host_saved: Callable[[str], None]
    """The views have the newest state of a host."""
    on_view_broken: Callable[[], None]
    on_unwritable: Callable[[Change, BaseException], None]
    """Writing this change met a bug."""
    on_body_passed_on: Callable[[Finished, Finished | None, Finished | None], None]
    """(lost, first, first near): the page `lost` cannot be written, so it is no longer the original of its copies, nor
    the canonical member of its near copies. These pages are, if they are not None."""
    on_unshown_events: Callable[[Frame, int], None]
    """A frame has this many events that a view cannot show."""
    find_original: Callable[[Finished], Original | None]
    """Finds the page of which this one is a copy; None if no such page is known. Called on the worker thread."""
    on_shown: Callable[[Frame], None] | None = None
    """A frame is durable, and every view that is not broken has applied it."""


class Commit:
    def __init__(
        self,
        stores: Stores,
        settings: StoreSettings,
        clock: Clock,
        listeners: Listeners,
        order: CommitOrder | None = None,
    ) -> None:
        """`order`: None for the order of a log that only this process writes."""
        self._order = order or choose_order(stores.log, stores.urls)
        self._disk = stores.place.disk
        self._archive = stores.archive
        self._links = stores.links
        self._log = stores.log
        self._end = stores.log.end
        """The position after the last frame that was written here and returned by the log."""
        self._urls = stores.urls
        self._views = stores.views
        self._clock = clock
        self._settings = settings
        self._listeners = listeners
        self._archived: dict[str, int] = {}
        """Lengths of archive files that no frame records yet."""
        self._links_kept: dict[str, int] = {}
        """The same for link segments."""
        self._outcomes: list[Outcome] = []
        self._hosts: dict[str, HostState] = {}
        self._changes = 0
        self._being_written = 0
        self._oldest = 0.0
        self._writing_since = 0.0
        self._arrived = asyncio.Event()
        """Something is to be written, or the commit is closing."""
        self._wanted = asyncio.Event()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hondius-commit")
        self._closing = False
        self._patience_ends = float("inf")
        self._behind: set[str] = set()
        """Views that lack a frame because the disk was full at the end of the run."""
        self.paused = ""
        """Why nothing can be written at the moment; empty if it can."""
        self._found_broken: BrokenView | None = None
        """A view that the worker thread found broken. The event loop abandons it."""
        self.broken: BrokenView | None = None
        """A view that takes no more frames. The log still does: what is under way is kept, and the crawl is
        reopened."""

    def submit(self, outcome: Outcome) -> None:
        if not self._outcomes:
            self._oldest = self._clock.now()
        self._outcomes.append(outcome)
        self._arrived.set()
        self._changes += outcome.size
        if self._changes >= self._settings.commit_changes:
            self._wanted.set()

    def submit_host(self, state: HostState) -> None:
        """Only the newest state of a host is written in a frame."""
        self._hosts[state.host] = state
        self._arrived.set()

    def hurry(self) -> None:
        """Writes what is here without waiting for more."""
        self._wanted.set()

    def accepts(self) -> bool:
        """False if nothing new may be handed out because the disk does not keep up."""
        late = self._clock.now() - self._waiting_since() > LATE
        return not self.paused and not late and self._changes < 8 * self._settings.commit_changes

    def abandon_view(self, view: BrokenView) -> None:
        """Stops writing to a view that was found broken. The first one reported is repaired first."""
        if self.broken is None:
            self.broken = view
            self._listeners.on_view_broken()

    @property
    def waiting(self) -> int:
        """Outcomes that no view shows yet."""
        return len(self._outcomes) + self._being_written

    @property
    def is_idle(self) -> bool:
        return not self._outcomes and not self._hosts and not self._writing_since

    @property
    def is_applied(self) -> bool:
        """Nothing waits, and every view has applied everything."""
        return self.is_idle and all(view.position.covers(self._log.end) for view in self._views)

    async def run(self) -> None:
        """Writes until `close` was called and everything is written."""
        while not self._closing or self._outcomes or self._hosts:
            await self._wait_for_batch()
            if self._outcomes or self._hosts:
                await self._write()

    def close(self) -> None:
        """`run` writes the last outcomes and ends. On a full disk it waits a few seconds, or tries just once if it has
        been waiting already. What is in no frame has not happened, and its URLs are still queued."""
        self._closing = True
        self._patience_ends = self._clock.now() + (0.0 if self.paused else LAST_PATIENCE)
        self._arrived.set()
        self._wanted.set()

    async def _wait_for_batch(self) -> None:
        """No outcome waits longer than the interval, however long the previous batch took."""
        await self._arrived.wait()
        if self._closing:
            return
        waited = self._clock.now() - self._oldest if self._outcomes else 0.0
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wanted.wait(), max(0.0, self._settings.commit_interval - waited))
        self._wanted.clear()

    def _waiting_since(self) -> float:
        """When the oldest outcome that is not durable was submitted; now, if there is none."""
        return self._writing_since or (self._oldest if self._outcomes else self._clock.now())

    async def _write(self) -> None:
        self._arrived.clear()
        self._writing_since = self._waiting_since()
        outcomes, self._outcomes = self._outcomes, []
        self._being_written = len(outcomes)
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
            if frame is not None and self._listeners.on_shown is not None:
                self._listeners.on_shown(frame)
        self._being_written = 0

    async def _write_all(self, changes: Sequence[Change]) -> tuple[list[Written], list[Lost]]:
        """Returns what was written, and what cannot be written."""
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
        """Writes the changes in one frame. After a bug, each half gets its own frame, and so on, down to single
        changes. Returns the changes that cannot be written even alone; no later frame has any part of them. `batch`:
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
        """A frame that failed after its records were archived is retried without archiving them twice."""
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
            if isinstance(change, Outcome) and change.record is not None and change.record.location is None
        ]
        if not new:
            return
        receipt = await self._run_with_room(lambda: self._name_and_archive(new))
        if self._found_broken is not None:
            self.abandon_view(self._found_broken)
        for (_, record), location in zip(new, receipt.locations, strict=True):
            record.location = location
        self._archived.update(receipt.durable)

    def _name_and_archive(self, new: Sequence[tuple[Outcome, FetchRecord]]) -> ArchiveReceipt:
        """On the worker thread: finds the originals of copies, then archives. A copy whose original is not found is
        kept whole, as the first page with its body."""
        for outcome, record in new:
            if record.lacks_original and outcome.finished is not None:
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
        """Once for each page, even if its frame is retried."""
        new = [
            change.links
            for change in changes
            if isinstance(change, Outcome) and change.links is not None and change.links.location is None
        ]
        if not new:
            return
        receipt = await self._run_with_room(lambda: self._links.append([links.source for links in new]))
        for links, location in zip(new, receipt.locations, strict=True):
            links.location = location
        self._links_kept.update(receipt.durable)

    def _pass_body_on(self, lost: Change, batch: Sequence[Change]) -> None:
        if isinstance(lost, HostState) or lost.finished is None:
            return
        place = next(place for place, change in enumerate(batch) if change is lost)
        following = (*batch[place + 1 :], *self._outcomes)
        first, first_near = pass_body_on(lost.finished, following), pass_cluster_on(lost.finished, following)
        self._listeners.on_body_passed_on(lost.finished, first, first_near)

    async def _announce(self, frame: Frame | None, changes: Sequence[Change]) -> None:
        """Applies a durable frame to the URL store, and informs those who wait for it."""
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
        """Applies a frame to one view. A view that fails applies the frame at the next start: the frame is durable.
        Until then it applies none of the following frames, in any partition: views apply all frames in order."""
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
        """Runs a step on the worker thread. On a full disk, repeats it until there is room."""
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
        """Views are not reliable on a completely full disk, so some room is always left."""
        wanted = self._settings.free_bytes
        if wanted and self._disk.free_bytes() < wanted:
            raise DiskFull(f"the disk has less than {wanted // 2**20} MiB left; make room")
        return step()
