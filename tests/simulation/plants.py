"""Planted bugs: each removes one protection, and the simulation must find it.

A planted bug patches the product while its context is active; the product itself contains none of this.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from unittest.mock import patch

from hondius.crawler import due_pages
from hondius.crawler.commit import Change
from hondius.crawler.commit.order import Draft, ElsewhereFirstOrder
from hondius.crawler.dedup import ExactCopies
from hondius.crawler.due_pages import DuePages
from hondius.crawler.fetch.fetcher import LEASE_ENDED, Fetcher
from hondius.crawler.frontier import frontier as frontier_module
from hondius.crawler.frontier.back_queue import BackQueue
from hondius.crawler.frontier.frontier import Frontier
from hondius.crawler.left_out import LeftOuts
from hondius.crawler.outcomes import Outcomes
from hondius.crawler.page import Links
from hondius.crawler.politeness import AddressTurns, Host, Hosts, addresses
from hondius.crawler.politeness.earlier_times import EarlierTimes
from hondius.crawler.politeness.robots import RobotsCache, Rules, Verdict
from hondius.crawler.recrawl import Returns
from hondius.model import HostState, LeftOut, OwnerMarker, RecrawlOrder
from hondius.native import Discoveries, QueuedUrl, Url, UrlStore, decode_discoveries
from hondius.stores.disk.simulated import SimulatedDisk
from hondius.stores.log.embedded import EmbeddedLog
from hondius.stores.log.epochs import Fence
from hondius.stores.log.outbox import Producer, Sent, send_page
from hondius.stores.log.partitions import Record
from hondius.stores.orders.files import OrderFiles
from tests.simulation.cancels import cancels_anywhere
from tests.simulation.clocks import ProcessClock
from tests.simulation.cluster.wires import Wires
from tests.simulation.faults import exceptions_at
from tests.simulation.machine import FILTER_CAPACITY, HOT_KEYS, Machine

if TYPE_CHECKING:
    from tests.simulation.engine import SimulatedEngine


@contextmanager
def clock_not_restarted() -> Iterator[None]:
    """After a start every host may be contacted at once, whatever happened before."""

    def forgetful(hosts: Hosts, name: str, record: HostState | None) -> Host:
        return Host(name, hosts._settings, record)

    with patch.object(Hosts, "_restore", forgetful):
        yield


@contextmanager
def clock_step() -> Iterator[None]:
    """Waits are measured by the wall clock, which may be set."""

    def by_wall(clock: ProcessClock) -> float:
        return clock._wall.now()

    with patch.object(ProcessClock, "now", by_wall):
        yield


@contextmanager
def clock_step_between_runs() -> Iterator[None]:
    """Times of an earlier run are used as they are, even if they are days ahead."""
    with patch.object(EarlierTimes, "_is_ahead", lambda earlier, at: False):
        yield


@contextmanager
def wait_restarted_by_each_run() -> Iterator[None]:
    """A wait from a clock that was ahead is counted from the start of every run."""

    def from_this_start(earlier: EarlierTimes, row: HostState) -> float | None:
        is_ahead = earlier._is_ahead(row.at) and earlier._catalog.frame_of(row) <= earlier._last_frame
        return earlier._started if is_ahead else None

    with patch.object(EarlierTimes, "_find_start", from_this_start):
        yield


@contextmanager
def view_ahead_of_the_log() -> Iterator[None]:
    """Views apply frames before they are synced."""

    def unsynced(log: EmbeddedLog, path: str, data: bytes) -> None:
        log._disk.append(path, data)

    with patch.object(EmbeddedLog, "_write", unsynced):
        yield


@contextmanager
def no_overlay() -> Iterator[None]:
    """Links of a page are stored as known at once, before they are in a frame."""
    trees: dict[int, set[bytes]] = {}
    sound = Machine.open_urls

    def opened(machine: Machine) -> Any:
        if machine.partitions > 1:
            return sound(machine)
        tree = machine._trees[0]
        machine._urls = store = UrlStore(tree, capacity=FILTER_CAPACITY, cached_keys=HOT_KEYS)
        return Eager(store, trees.setdefault(id(tree), set()))

    with patch.object(Machine, "open_urls", opened):
        yield


@contextmanager
def worst_class_first() -> Iterator[None]:
    """Of all queued URLs of an origin, the one of the worst class is requested first."""
    refill = Frontier._refill

    def reversed_refill(frontier: Frontier, queue: BackQueue) -> bool:
        with patch.object(frontier_module, "AHEAD", EVERY_URL):
            is_filled = refill(frontier, queue)
        queue.urls.sort(key=lambda url: -url.priority)
        return is_filled

    with patch.object(Frontier, "_refill", reversed_refill):
        yield


EVERY_URL = 1_000
OF_OTHERS = ("refused", "closer", "closer_count", "known", "outside", "out_of_scope", "counted")
"""The fields of an admission other than its new URLs."""


class Eager:
    """A URL store whose tree contains keys that are in no frame; `written` outlives it."""

    def __init__(self, store: UrlStore, written: set[bytes]) -> None:
        self._store = store
        self._written = written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def admit(self, urls: Any, policy: Any, **more: Any) -> Discoveries:
        fresh = [at for at, (_, key) in enumerate(urls) if key not in self._written or more["via"] == "recrawl"]
        if (priorities := more.get("priorities")) is not None:
            more["priorities"] = [priorities[at] for at in fresh]
        found = self._store.admit([urls[at] for at in fresh], policy, **more)
        self._written.update(url.key for url in decode_discoveries(found.data))
        return found

    def admit_links(self, fetched: Any, policy: Any, **more: Any) -> Any:
        found = self._store.admit_links(fetched, policy, **more)
        self._store.forget_pending([found.data])
        for of_links_alone in ("follow_nofollow", "skip", "most", "priorities"):
            more.pop(of_links_alone, None)
        urls = [(url.href, url.key) for url in decode_discoveries(found.data)]
        kept = self.admit(urls, policy, **more, via="link", source=fetched.key)
        as_found = {name: getattr(found, name) for name in OF_OTHERS}
        return SimpleNamespace(data=kept.data, count=kept.count, blobs=[kept.data, found.closer], **as_found)


@contextmanager
def no_sync() -> Iterator[None]:
    """Nothing is ever synced."""

    def nothing(disk: SimulatedDisk, path: str) -> None:
        disk._end(disk._crashes())

    with patch.object(SimulatedDisk, "sync", nothing):
        yield


@contextmanager
def no_fencing() -> Iterator[None]:
    """Records of former owners count forever."""

    def believing(fence: Fence, record: Record) -> bool:
        if isinstance(record.event, OwnerMarker):
            fence.epoch = record.offset
        return True

    with patch.object(Fence, "admits", believing):
        yield


@contextmanager
def no_deadline() -> Iterator[None]:
    """A frozen node continues sending when it wakes up, although others own its hosts by then."""
    fetch = Wires.fetch

    def fearless(wires: Wires, href: str, node: str, deadline: Any) -> Any:
        return fetch(wires, href, node, lambda: float("inf"))

    with patch.object(Wires, "fetch", fearless):
        yield


@contextmanager
def ended_before_its_links() -> Iterator[None]:
    """The end of a page is sent before its links are acknowledged."""

    async def hasty(producer: Producer, partition: int, epoch: int, found: Any, last: Any) -> Sent:
        if await send_page(producer, partition, epoch, {}, last) is not Sent.ENDED:
            return Sent.UNKNOWN
        sent = await send_page(producer, partition, epoch, found, ())
        return Sent.ENDED if sent is Sent.NOT_ENDED else sent

    with patch("tests.simulation.cluster.node.send_page", hasty):
        yield


@contextmanager
def order_taken_too_early() -> Iterator[None]:
    """The file of an order is removed before its event is in the log."""

    patient = OrderFiles.orders

    def hasty(mailbox: OrderFiles) -> Iterator[Any]:
        for order, done in patient(mailbox):
            done()
            yield order, lambda: None

    with patch.object(OrderFiles, "orders", hasty):
        yield


@contextmanager
def late_cancel() -> Iterator[None]:
    """A cancelled request counts as over before the engine has confirmed it."""

    def hasty(fetcher: Fetcher) -> None:
        now, engine = fetcher._loop.time(), cast("SimulatedEngine", fetcher._engine)
        late = fetcher._fetches.call_off_overdue(now)
        engine.cancel(late, LEASE_ENDED)
        for asked in late:
            failure = (LEASE_ENDED, "nobody has confirmed it")
            given_up = engine._rehearsal.play(asked, started_at=now, ended_at=now, head=b"", body=b"", failure=failure)
            fetcher._fetches.complete(asked[0], given_up)
        engine.cancel_look_ups(fetcher._look_ups.call_off_overdue(now))

    with patch.object(Fetcher, "call_off_overdue", hasty):
        yield


@contextmanager
def exception_after_admission() -> Iterator[None]:
    """Pages fail between the admission of their links and the commit, and the admission is not undone."""

    def nothing(links: Links, found: Any) -> None:
        pass

    with exceptions_at(((Outcomes, "finish_page", "before"),), 0), patch.object(Links, "withdraw", nothing):
        yield


@contextmanager
def lost_ticket() -> Iterator[None]:
    """Requests that never come back are not noticed."""

    with patch.object(Fetcher, "call_off_overdue", lambda fetcher: None):
        yield


@contextmanager
def two_firsts_of_one_body() -> Iterator[None]:
    """A body is known only once a frame has its first page; until then a second page with it is an original, too."""

    def nothing(copies: ExactCopies, body: bytes, key: bytes, href: str, started_at: float) -> None:
        pass

    with patch.object(ExactCopies, "_remember", nothing):
        yield


@contextmanager
def verdict_older_than_its_send() -> Iterator[None]:
    """The robots.txt at the first request of an origin is used forever."""
    first: dict[str, Rules] = {}

    def stale(desk: RobotsCache, origin: str, path_and_query: str, admitted_by: Rules) -> Verdict | None:
        return first.setdefault(origin, admitted_by).judge(path_and_query)

    with patch.object(RobotsCache, "judge", stale):
        yield


@contextmanager
def body_of_a_lost_page() -> Iterator[None]:
    """Pages fail after their body was remembered, and other pages become copies of a page that never ended."""

    def nothing(copies: ExactCopies, url: QueuedUrl, fetched: Any) -> None:
        pass

    with (
        exceptions_at(((Outcomes, "finish_page", "before"),), 0, share=0.2),
        patch.object(ExactCopies, "forget", nothing),
    ):
        yield


@contextmanager
def no_turn_at_other_addresses() -> Iterator[None]:
    """After a failed connection the next address is tried at once, without a turn there."""

    async def hasty(turns: AddressTurns, host: Host, address: str, until: float) -> bool:
        turns._begin_at(host, address, turns._clock.now())
        return True

    with patch.object(AddressTurns, "continue_at", hasty):
        yield


@contextmanager
def next_address_after_a_byte() -> Iterator[None]:
    """Another address is tried although the request was sent to the one before."""
    with patch.object(addresses, "UNCONNECTED", addresses.UNCONNECTED | {"connection_reset", "read_timeout"}):
        yield


@contextmanager
def finished_before_foreign_links() -> Iterator[None]:
    """The frame that ends a page is durable before the frames with its links in other partitions."""
    patient = ElsewhereFirstOrder.plan_drafts

    def hasty(order: ElsewhereFirstOrder, changes: Sequence[Change]) -> Iterator[Draft]:
        yield from sorted(patient(order, changes), key=lambda draft: draft.is_ahead)

    with patch.object(ElsewhereFirstOrder, "plan_drafts", hasty):
        yield


@contextmanager
def answer_of_a_called_off_request_dropped() -> Iterator[None]:
    """A request is cancelled while its answer arrives, and the host does not learn from the answer."""
    confirmed = Fetcher._wait_for_cancel

    async def forgetful(fetcher: Fetcher, number: int, ticket: Any) -> None:
        await confirmed(fetcher, number, ticket)

    with cancels_anywhere(0), patch.object(Fetcher, "_wait_for_cancel", forgetful):
        yield


@contextmanager
def pieces_admitted_before_they_are_left() -> Iterator[None]:
    """All pieces of a large page are admitted, but submitted to the commit only after the next await."""

    async def hasty(
        outcomes: Outcomes, url: QueuedUrl, fetched: Any, reading: Any, judged: Any = None
    ) -> tuple[QueuedUrl, int]:
        pieces = list(outcomes._links.admit_in_pieces(url, fetched, reading, outcomes._clock.now(), judged))
        await asyncio.sleep(0)
        return outcomes._links.find_closest(url), sum(outcomes.submit_piece(url, piece) for piece in pieces)

    with cancels_anywhere(0), patch.object(Outcomes, "admit_in_pieces", hasty):
        yield


@contextmanager
def view_read_on_the_loop() -> Iterator[None]:
    """The state of a host is read on the event loop when the host is served."""

    def read_at_once(hosts: Hosts, name: str) -> Host:
        return hosts.find(name) or hosts.learn(name, hosts.read(name))

    with patch.object(Hosts, "get_loaded", read_at_once):
        yield


@contextmanager
def depth_of_the_order() -> Iterator[None]:
    """A URL that is fetched again gets the depth in the order, which may be older than what the store knows."""

    def trusting(links: Links, order: RecrawlOrder) -> dict[int, list[Url]]:
        urls = links.parse_urls(order)
        return {order.depth: urls} if urls else {}

    with patch.object(Links, "_group_by_depth", trusting):
        yield


MACHINE, CLUSTER = "machine", "cluster"


@contextmanager
def left_out_and_forgotten() -> Iterator[None]:
    """Links to the host of a later seed are refused for good."""

    def nothing(left_outs: LeftOuts, *arguments: object, **named: object) -> list[LeftOut]:
        return []

    with patch.object(LeftOuts, "make_left_out", nothing):
        yield


@contextmanager
def due_page_forgotten() -> Iterator[None]:
    """A page that is due is never queued again."""

    def nothing(due: DuePages, rows: Sequence[Any], now: float) -> None:
        return None

    with patch.object(DuePages, "_queue", nothing):
        yield


@contextmanager
def due_page_of_an_old_view() -> Iterator[None]:
    """A page that has ended since the view was read is queued once more."""

    def all_rows(returns: Returns, rows: Sequence[Any]) -> list[Any]:
        return list(rows)

    with patch.object(Returns, "drop_ended", all_rows), patch.object(due_pages, "BEGIN_AGAIN", 0.0):
        yield


PLANTS: dict[str, tuple[Callable[[], Any], str]] = {
    "clock_not_restarted": (clock_not_restarted, MACHINE),
    "clock_step": (clock_step, MACHINE),
    "clock_step_between_runs": (clock_step_between_runs, MACHINE),
    "wait_restarted_by_each_run": (wait_restarted_by_each_run, MACHINE),
    "view_ahead_of_the_log": (view_ahead_of_the_log, MACHINE),
    "no_overlay": (no_overlay, MACHINE),
    "no_sync": (no_sync, MACHINE),
    "worst_class_first": (worst_class_first, MACHINE),
    "order_taken_too_early": (order_taken_too_early, MACHINE),
    "depth_of_the_order": (depth_of_the_order, MACHINE),
    "late_cancel": (late_cancel, MACHINE),
    "lost_ticket": (lost_ticket, MACHINE),
    "verdict_older_than_its_send": (verdict_older_than_its_send, MACHINE),
    "exception_after_admission": (exception_after_admission, MACHINE),
    "two_firsts_of_one_body": (two_firsts_of_one_body, MACHINE),
    "body_of_a_lost_page": (body_of_a_lost_page, MACHINE),
    "no_turn_at_other_addresses": (no_turn_at_other_addresses, MACHINE),
    "next_address_after_a_byte": (next_address_after_a_byte, MACHINE),
    "left_out_and_forgotten": (left_out_and_forgotten, MACHINE),
    "finished_before_foreign_links": (finished_before_foreign_links, MACHINE),
    "view_read_on_the_loop": (view_read_on_the_loop, MACHINE),
    "answer_of_a_called_off_request_dropped": (answer_of_a_called_off_request_dropped, MACHINE),
    "pieces_admitted_before_they_are_left": (pieces_admitted_before_they_are_left, MACHINE),
    "due_page_forgotten": (due_page_forgotten, MACHINE),
    "due_page_of_an_old_view": (due_page_of_an_old_view, MACHINE),
    "no_fencing": (no_fencing, CLUSTER),
    "no_deadline": (no_deadline, CLUSTER),
    "clock_not_restarted_by_a_new_owner": (clock_not_restarted, CLUSTER),
    "ended_before_its_links": (ended_before_its_links, CLUSTER),
}
"""Each with the world in which it must be found."""
