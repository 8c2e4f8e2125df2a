"""`make fuzz TARGET=journey`: hostile heads and bodies through the whole crawl, Python included, for some seconds.

Each round is a small crawl in virtual time whose every answer is hostile, then a recrawl of what it found. An exception
that reaches the loop, a URL that ends as `internal`, and a callback that keeps the event loop busy for too long are
findings. `--seed` plays one round again.
"""

import argparse
import faulthandler
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

from hondius.crawler.assemble import Surroundings, assemble_crawl
from hondius.crawler.fetch import Submission
from hondius.crawler.seeds import Seed, make_source
from hondius.crawler.store_opening import open_place
from hondius.crawler.translation import make_user_agent
from hondius.model import RecrawlOrder
from hondius.native import Fetched, Identity, Reader, Rehearsal, Resolved
from hondius.settings import make_settings
from tests.hostile.answers import hostile_answer
from tests.simulation.engine import LookUp
from tests.simulation.machine import Machine
from tests.simulation.virtual_loop import Killed, VirtualLoop, VirtualTime

SEEDS = tuple(f"http://h{number}.test/{path}" for number in range(4) for path in ("", "1", "map.xml"))
MOST_EVENTS = 6_000
MOST_RECRAWLED = 50
STALL = 0.2
"""Seconds of CPU in one callback."""
HANG = 60.0
"""Seconds after which a round is given up, with a traceback of where it hangs."""


class MeasuredLoop(VirtualLoop):
    """Measures what a real event loop would do itself: not the engine's work, nor that of worker threads."""

    elsewhere = 0.0
    longest = 0.0

    def _run_once(self) -> None:
        started, self.elsewhere = time.thread_time(), 0.0
        super()._run_once()
        self.longest = max(self.longest, time.thread_time() - started - self.elsewhere)

    def _step(self, *arguments: Any) -> None:
        started = time.thread_time()
        super()._step(*arguments)
        self.elsewhere += time.thread_time() - started


class HostileEngine:
    def __init__(self, loop: MeasuredLoop, chance: Random, rehearsal: Rehearsal, notify: Callable[[], object]) -> None:
        self._loop = loop
        self._chance = chance
        self._rehearsal = rehearsal
        self._notify = notify
        self._finished: list[Any] = []
        self._under_way: set[int] = set()

    def resolve(self, requests: Sequence[tuple[int, str]]) -> None:
        for ticket, host in requests:
            found = LookUp(ticket, host, ["192.0.2.1:0"], self._loop.time() + 3_600, None)
            self._loop.call_later(0.001, self._finish, found)

    def submit(self, requests: Sequence[Submission], within: float | None = None) -> None:
        for request in requests:
            self._under_way.add(request[0])
            self._loop.call_later(self._chance.uniform(0.001, 0.1), self._play, request, self._loop.time())

    def cancel(self, requests: Sequence[Submission], cause: str) -> None:
        now, failure = self._loop.time(), (cause, "called off")
        for request in requests:
            self._under_way.discard(request[0])
            self._finish(
                self._rehearsal.play(request, started_at=now, ended_at=now, head=b"", body=b"", failure=failure)
            )

    def cancel_look_ups(self, requests: Sequence[tuple[int, str]]) -> None:
        for ticket, host in requests:
            self._finish(LookUp(ticket, host, [], self._loop.time(), "lease_ended"))

    def collect(self) -> list[Fetched | Resolved]:
        finished, self._finished = self._finished, []
        return finished

    def close(self) -> None:
        self._finished = []

    def _play(self, request: Submission, started_at: float) -> None:
        if request[0] not in self._under_way:
            return
        self._under_way.remove(request[0])
        head, body = hostile_answer(self._chance)
        started = time.thread_time()
        fetched = self._rehearsal.play(request, started_at=started_at, ended_at=self._loop.time(), head=head, body=body)
        self._loop.elsewhere += time.thread_time() - started
        self._finish(fetched)

    def _finish(self, item: Any) -> None:
        self._finished.append(item)
        if len(self._finished) == 1:
            self._notify()


class Round:
    def __init__(self, seed: int, directory: Path) -> None:
        self._chance = Random(f"hostile {seed}")
        self._time = VirtualTime()
        delay = self._chance.choice((0.0, 1.0))
        self._settings = make_settings({"politeness": {"delay": delay}, "scope": {"scope": "any"}})
        self._machine = Machine(directory, self._settings, self._chance)
        self.counts: Counter[str] = Counter()
        self.findings: list[str] = []

    def run(self) -> None:
        self._live(crawls=True)
        self._live(crawls=False)

    def _live(self, *, crawls: bool) -> None:
        loop = MeasuredLoop(self._time, self._chance, lambda step: 0.004)
        loop.killed_at = MOST_EVENTS
        try:
            loop.run_until_complete(self._crawl(loop, crawls))
            killed = False
        except Killed:
            killed = True
        except Exception as error:
            self.findings.append(f"the crawl ended: {error!r}")
            killed = True
        self._machine.die(killed=killed)
        loop.bury()
        self.findings += [f"nobody caught {fault!r}" for fault in loop.faults]
        if loop.longest > STALL:
            self.findings.append(f"the event loop stood still: {loop.longest:.2f} s in one callback")
        self.counts["events"] += loop.events

    async def _crawl(self, loop: MeasuredLoop, crawls: bool) -> None:
        async with AsyncExitStack() as stack:
            stores = open_place(stack, self._machine.place, self._settings, self._time)
            surroundings = Surroundings(self._time, self._chance, self._engines(loop))
            if not crawls:
                known = [page["url"] for page in stores.catalog.pages() if page["kind"] == "page"]
                stores.place.orders().post([RecrawlOrder(tuple(known[:MOST_RECRAWLED]))], 1)
            seeds = make_source([Seed(Identity().parse(href), None) for href in SEEDS]) if crawls else None
            async with assemble_crawl(stores, self._settings, seeds, surroundings) as crawl:
                await crawl.run.run_until_over()
            internal = sum(
                count for (_, cause), count in stores.catalog.totals()["causes"].items() if cause == "internal"
            )
            if internal:
                self.findings.append(f"{internal} URLs ended as internal")

    def _engines(self, loop: MeasuredLoop) -> Callable[[Reader, Callable[[], object], str], HostileEngine]:
        agent, types = make_user_agent(self._settings), self._settings.scope.content_types

        def engine(reader: Reader, notify: Callable[[], object], _: str) -> HostileEngine:
            rehearsal = Rehearsal(reader, user_agent=agent, content_types=types)
            return HostileEngine(loop, self._chance, rehearsal, notify)

        return engine


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz TARGET=journey", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seed", type=int, help="this round alone")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    started = time.monotonic()
    seed = arguments.seed if arguments.seed is not None else 0
    while True:
        print(f"\rround {seed}", end="", file=sys.stderr, flush=True)
        faulthandler.dump_traceback_later(HANG, exit=True)
        with tempfile.TemporaryDirectory() as directory:
            played = Round(seed, Path(directory))
            played.run()
        faulthandler.cancel_dump_traceback_later()
        counts += played.counts
        counts["rounds"] += 1
        counts["findings"] += len(played.findings)
        for finding in played.findings:
            print(f"\njourney, --seed {seed}: {finding}")
        seed += 1
        if arguments.seed is not None or time.monotonic() - started > arguments.seconds:
            break
    print(f"\n     journey: {counts['rounds']} crawls, {counts['events']} events, {counts['findings']} findings")
    return 1 if counts["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
