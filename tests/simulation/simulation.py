"""One seed: a crawl of many lives on one machine, from the first request to the end of the last URL."""

import gc
import hashlib
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from hondius.crawler.assemble import OpenCrawl, Surroundings, assemble_crawl
from hondius.crawler.extensions import Extensions
from hondius.crawler.politeness import parse_host
from hondius.crawler.seeds import Seed, SeedSource, make_source
from hondius.crawler.store_opening import open_place
from hondius.crawler.translation import make_user_agent
from hondius.errors import DiskFull, HondiusError
from hondius.native import Reader, Rehearsal
from hondius.stores.disk.simulated import Crash
from tests.simulation.clocks import ProcessClock, WallClock
from tests.simulation.engine import SimulatedEngine, Wire
from tests.simulation.fate import (
    Interruption,
    choose_interruption,
    no_interruption,
    settings_of,
    with_continuous,
    with_depth,
    with_partitions,
    with_recrawl,
    with_requisites,
    with_scope,
)
from tests.simulation.hooks import make_hooks
from tests.simulation.machine import Machine
from tests.simulation.orders import Operator
from tests.simulation.virtual_loop import Killed, VirtualLoop, VirtualTime
from tests.simulation.web import Web

EVENTS = 20_000
MOST_LIVES = 400
SHORT_WAIT, LONGEST_WAIT = 60.0, 100_000.0
PLENTY = 1 << 62
MOST_ROBOTS = 20
"""In memory: fewer than there are origins, so that the cache overflows."""
MOST_RETRIES = 10
"""In memory: so few that retry counts are read from the view."""


@dataclass(slots=True)
class Life:
    """One process of the crawl. `end` is when it ended."""

    number: int
    start: float
    interruption: Interruption
    end: float = 0.0
    reason: str = ""
    opened: float = 0.0
    set_by: float = 0.0
    """Seconds by which the clock of the process was ahead of true time."""
    found_frames: float = float("inf")
    """The last frame of the log when it was opened."""
    waits: float = 0.0
    """How long it still had to wait for its next request when it ended, and for which host."""
    waits_for: str = ""
    pauses: list[tuple[float, float]] = field(default_factory=list)


class Violation(Exception):
    """Something happened that must not."""


class Simulation:
    def __init__(self, seed: int, directory: Path, events: int = EVENTS) -> None:
        self.seed = seed
        self.chance = Random(f"fate {seed}")
        self.time = VirtualTime()
        self.wall = WallClock(self.time)
        self.clock_chance = Random(f"clock {seed}")
        self.hooks = make_hooks(seed)
        settings = with_depth(settings_of(self.chance), Random(f"depth {seed}"))
        settings = with_scope(settings, Random(f"scope {seed}"))
        settings = with_requisites(settings, seed)
        self.settings = with_recrawl(settings, Random(f"recrawl {seed}"))
        self.recrawl_chance = Random(f"continuous {seed}")
        self.web = Web(seed, self.time.now())
        if self.settings.scope.requisites:
            has_depth = self.settings.scope.max_depth is not None
            self.web.add_requisites(Random(f"requisites {seed}"), with_pages=not has_depth)
        self.wire = Wire(self.web, Random(f"wire {seed}"), self.settings.fetch.total_timeout)
        partitions = count_partitions(seed)
        self.machine = Machine(directory, self.settings, self.chance, partitions)
        self.partition_chance = Random(f"partitions {seed}")
        if partitions > 1:
            self.web.add_far_pages(Random(f"far {seed}"))
        self.seed_chance = Random(f"seeds {seed}")
        self._seeds_are_slow = self.settings.scope.scope != "any" and self.seed_chance.random() < 0.3
        self.operator = Operator(self.web, self.chance, self.machine.find_depths)
        self.sound = self.chance.random() < 0.3
        """Whether the machine loses no data: only then are all attempt records complete."""
        self.lives: list[Life] = []
        self.counts: Counter[str] = Counter()
        self.story: list[str] = []
        self._budget = events
        self._waited = SHORT_WAIT
        self._trace = hashlib.sha256()

    @property
    def trace(self) -> str:
        """Equal for equal runs."""
        for request in self.wire.requests:
            self._trace.update(f"{request.url.href} {request.start!r} {request.end!r} {request.life};".encode())
        self._trace.update("\n".join(self.story).encode())
        return self._trace.hexdigest()

    def run(self) -> None:
        while len(self.lives) < MOST_LIVES:
            life = self._live()
            if self._is_over(life):
                return
        raise Violation(f"the crawl does not end: {MOST_LIVES} lives, the last one {self.lives[-1]}")

    def _is_over(self, life: Life) -> bool:
        """Lets time pass between two lives, and posts new orders while there are events left."""
        self.time.seconds += life.interruption.downtime
        self._maybe_set_clock()
        if self._made_progress(life):
            self._waited = SHORT_WAIT
        if life.reason == "waiting":
            self.time.seconds += self._waited
            self._waited = min(LONGEST_WAIT, 2 * self._waited)
        if self._has_budget:
            if life.reason in ("done", "waiting"):
                self.operator.want(self.machine.disk, 60, self.wall.now())
            return False
        return life.reason == "done" or (life.reason == "waiting" and self._waited >= LONGEST_WAIT)

    def _made_progress(self, life: Life) -> bool:
        for request in reversed(self.wire.requests):
            if request.life != life.number:
                return False
            if request.kind != "robots":
                return True
        return False

    @property
    def _has_budget(self) -> bool:
        return self.counts["events"] < self._budget

    def _live(self) -> Life:
        life = Life(
            len(self.lives), self.time.now(), self._choose_interruption() if self._has_budget else no_interruption()
        )
        self.lives.append(life)
        self.machine.keep_a_copy()
        loop = VirtualLoop(self.time, self.chance, self._step_takes)
        self._prepare_interruption(life.interruption, loop)
        fault: Exception | None = None
        gc.disable()
        try:
            life.reason = loop.run_until_complete(self._crawl(life, loop))
        except (Killed, Crash):
            life.reason = "killed"
        except Exception as error:
            life.reason, fault = f"failed: {error}", error
            self.counts["failed lives"] += 1
        finally:
            gc.enable()
        try:
            self._bury(life, loop)
        finally:
            if not loop.is_closed():
                loop.bury()
        if fault is not None and not _is_excused(fault):
            raise Violation(f"life {life.number} failed: {fault!r}") from fault
        return life

    def _choose_interruption(self) -> Interruption:
        fate = choose_interruption(self.chance, self.sound)
        return with_partitions(fate, self.partition_chance) if self.machine.partitions > 1 else fate

    def _prepare_interruption(self, fate: Interruption, loop: VirtualLoop) -> None:
        disk = self.machine.disk
        if fate.kind in ("kill", "power"):
            loop.killed_at = fate.after
        elif fate.kind == "torn":
            disk.crash_at = fate.after
        disk.crashed = loop.kill
        disk.room = PLENTY
        passage = Passage()
        disk.fails = lambda operation, path: self._refuses(fate) or self._passes(fate, passage, operation, path)

    def _bury(self, life: Life, loop: VirtualLoop) -> None:
        life.end = self.time.now()
        self.wire.cut(life.end)
        if life.reason == "killed" and life.interruption.kind == "power":
            self.machine.lose_power()
            self.counts["power losses"] += 1
        else:
            self.machine.die(killed=life.reason == "killed")
            self.counts["kills"] += life.reason == "killed"
        loop.bury()
        self.counts["lives"] += 1
        self.counts["events"] += loop.events
        self.story.append(f"life {life.number} {life.interruption.kind} {life.reason} {loop.events} {life.end!r}")
        faults = [fault for fault in loop.faults if not isinstance(fault, (Crash, Killed, HondiusError))]
        if faults:
            raise Violation(f"nobody caught {faults[0]!r}") from faults[0]

    async def _crawl(self, life: Life, loop: VirtualLoop) -> str:
        async with AsyncExitStack() as stack:
            clock = ProcessClock(self.time, self.wall)
            life.set_by = clock.set_by
            stores = open_place(stack, self.machine.place, self.settings, clock)
            life.opened, life.found_frames = self.time.now(), stores.log.end.frames
            surroundings = Surroundings(
                clock,
                self.chance,
                self._engines(life, loop, clock),
                MOST_ROBOTS,
                MOST_RETRIES,
                Extensions(hooks=self.hooks),
            )
            lacking = not stores.log.end.frames or bool(stores.catalog.unfinished_seeds())
            seeds = self._seeds(again=lacking or self.chance.random() < 0.3)
            if life.interruption.full_disk is not None:
                self._fill_disk(life, loop, *life.interruption.full_disk)
            settings = with_continuous(self.settings, life.interruption, self.recrawl_chance)
            async with assemble_crawl(stores, settings, seeds, surroundings) as crawl:
                self._schedule_trouble(life, loop, crawl)
                reason = await crawl.run.run_until_over()
                if reason == "waiting":
                    due, origin = min(crawl.frontier.list_next_origins(len(self.web.hosts) * 4), default=(0.0, ""))
                    life.waits, life.waits_for = due - clock.now(), parse_host(origin)
                return reason
        raise AssertionError

    def _seeds(self, again: bool) -> SeedSource | None:
        """`hondius crawl` passes seeds each time, `hondius resume` does not. They come in several frames."""
        if not again:
            return None
        seeds = [Seed(page.url, self.chance.choice((None, 0.2, 0.9))) for page in self.web.seeds]
        return make_source(seeds, size=self.chance.randint(1, max(1, len(seeds))))

    def _schedule_trouble(self, life: Life, loop: VirtualLoop, crawl: OpenCrawl) -> None:
        if life.interruption.kind == "stop":
            loop.call_later(life.interruption.after / 100, crawl.run.stop, "interrupted")
        loop.call_later(self.clock_chance.expovariate(1 / 20), self._maybe_set_clock)
        if self._has_budget and self.chance.random() < 0.5:
            for _ in range(self.chance.randint(1, 4)):
                loop.call_later(self.chance.expovariate(1 / 20), self._interfere)

    def _maybe_set_clock(self) -> None:
        if self._has_budget:
            self.counts["clocks set"] += self.wall.maybe_set(self.clock_chance)

    def _interfere(self) -> None:
        self.counts["orders"] += 1
        self.operator.interfere(self.machine.disk, self.wall.now())

    def _fill_disk(self, life: Life, loop: VirtualLoop, after: float, lasts: float) -> None:
        disk = self.machine.disk

        def fill() -> None:
            self.counts["full disks"] += 1
            life.pauses.append((self.time.now(), self.time.now() + lasts))
            disk.room = disk.room - disk.free_bytes()

        def clear() -> None:
            disk.room = PLENTY

        loop.call_later(after, fill)
        loop.call_later(after + lasts, clear)

    def _refuses(self, fate: Interruption) -> bool:
        if fate.drive_fails and self.chance.random() < fate.drive_fails:
            self.counts["drive failures"] += 1
            return True
        return False

    def _passes(self, fate: Interruption, passage: "Passage", operation: str, path: str) -> bool:
        """Whether a frame follows one of another partition: the process may be killed there."""
        if fate.kind == "between" and operation == "append" and passage.is_made(path) and passage.count == fate.after:
            self.counts["kills between partitions"] += 1
            self.machine.disk.crash()
        return False

    def _engines(
        self, life: Life, loop: VirtualLoop, clock: ProcessClock
    ) -> Callable[[Reader, Callable[[], object], str], SimulatedEngine]:
        agent, types = make_user_agent(self.settings), self.settings.scope.content_types
        return lambda reader, notify, file: SimulatedEngine(
            self.wire,
            loop,
            self.machine.disk,
            file,
            Rehearsal(reader, user_agent=agent, content_types=types),
            notify,
            life.number,
            self.settings.politeness.address_gap if self.settings.politeness.delay else 0.0,
            clock,
        )

    def _step_takes(self, step: Callable[..., object]) -> float:
        """Seeds may come slowly, so that pages are fetched in between."""
        if isinstance(getattr(step, "__self__", None), SeedSource) and self._seeds_are_slow:
            return self.seed_chance.expovariate(1 / 8)
        return self.chance.expovariate(1 / 0.004) if self.chance.random() < 0.99 else self.chance.uniform(0.1, 1.5)


class Passage:
    """Detects frames of alternating partitions, by the paths that are written."""

    def __init__(self) -> None:
        self.count = 0
        self._last = ""

    def is_made(self, path: str) -> bool:
        """Whether the append is a frame of another partition than the frame before it."""
        if not path.endswith(".log"):
            return False
        before, self._last = self._last, path.rpartition("/")[0]
        is_made = before not in ("", self._last)
        self.count += is_made
        return is_made


def count_partitions(seed: int) -> int:
    """The number of partitions of the log: every fourth crawl has two."""
    return 2 if seed % 4 == 3 else 1


def _is_excused(fault: Exception) -> bool:
    """Only a failing drive, or a disk that stays full, may end a run."""
    return isinstance(fault, DiskFull) or (isinstance(fault, HondiusError) and "Input/output error" in str(fault))
