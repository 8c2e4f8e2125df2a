"""Everything that a judge may look at."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from hondius.model import (
    AnyEvent,
    Discovered,
    Finished,
    FoundCloser,
    Frame,
    HostOrder,
    HostState,
    RobotsCopy,
    RunStarted,
)
from hondius.native import DiscoveredUrl, decode_discoveries
from hondius.use.audit.shifts import shift_frame
from tests.simulation.engine import NOT_RECORDED, Request, Wire
from tests.simulation.simulation import Life, Simulation
from tests.simulation.web import Web


@dataclass
class Evidence:
    """Each event has the time of its frame: before that it could have been lost. All times are true times: those that a
    life recorded are corrected by the error of its clock."""

    simulation: Simulation
    frames: list[Frame]
    hosts: dict[str, list[tuple[float, HostState]]] = field(default_factory=lambda: defaultdict(list))
    robots: dict[str, list[tuple[float, RobotsCopy]]] = field(default_factory=lambda: defaultdict(list))
    orders: dict[str, list[tuple[float, HostOrder]]] = field(default_factory=lambda: defaultdict(list))
    discovered: dict[bytes, list[tuple[float, DiscoveredUrl]]] = field(default_factory=lambda: defaultdict(list))
    found_closer: dict[bytes, list[tuple[float, DiscoveredUrl]]] = field(default_factory=lambda: defaultdict(list))
    found_by: dict[bytes, list[DiscoveredUrl]] = field(default_factory=lambda: defaultdict(list))
    """The new or closer URLs that each URL led to, by its key."""
    finished: dict[bytes, list[tuple[float, Finished]]] = field(default_factory=lambda: defaultdict(list))
    started: set[int] = field(default_factory=set)
    """Lives whose start is in the log."""
    readers: dict[str, int] = field(default_factory=dict)
    """The life that read each order, by the reason of the order, which is unique."""

    def __post_init__(self) -> None:
        for frame in self.frames:
            life = self._life_of(frame)
            if any(isinstance(event, RunStarted) for event in frame.events):
                self.started.add(life.number)
            true = shift_frame(frame, -life.set_by)
            for event in true.events:
                if isinstance(event, HostOrder):
                    self.readers[event.reason] = life.number
                self._file(true.at, event)

    @property
    def web(self) -> Web:
        return self.simulation.web

    @property
    def wire(self) -> Wire:
        return self.simulation.wire

    @property
    def delay(self) -> float:
        return self.simulation.settings.politeness.delay

    def _life_of(self, frame: Frame) -> Life:
        """The last life that opened the log without this frame. Lost frames are written again under the same number."""
        return next(life for life in reversed(self.simulation.lives) if life.found_frames < frame.number)

    def was_set_forward(self, before: Request, request: Request) -> bool:
        return self.seems_longer_ago(before.end, before.life, request.life)

    def pause_seems_over(self, order: HostOrder, request: Request) -> bool:
        """Whether the pause is over by the clock of the life that recorded it."""
        return self.seems_longer_ago(order.at, self.readers[order.reason], request.life)

    def seems_longer_ago(self, at: float, first: int, last: int) -> bool:
        """Whether a life in between measured more time than had passed: it cannot know that waits are not over."""
        lives = self.simulation.lives[first : last + 1]
        written = at + lives[0].set_by
        return any(
            life.set_by > self._counts_from(lives[: index + 1], written).set_by for index, life in enumerate(lives)
        )

    def _counts_from(self, lives: list[Life], written: float) -> Life:
        """The life from whose start the last life measures the age of a record of the first. If the record is in the
        last life's future, it only knows that it is older than the start of each later life; the same holds for lives
        that started in its future."""
        started = lives[-1].start + lives[-1].set_by
        if written <= started:
            return lives[0]
        since = [life for life in lives[1:-1] if life.number in self.started and life.start + life.set_by <= started]
        return since[0] if since else lives[-1]

    def life(self, request: Request) -> Life:
        return self.simulation.lives[request.life]

    def is_blacklisted(self, host: str) -> bool:
        """Whether it was ever on the blacklist."""
        return any(host == name or host.endswith(f".{name}") for name in self.simulation.operator.blacklisted)

    def discovered_on(self, origin: str) -> list[tuple[bytes, list[tuple[float, DiscoveredUrl]]]]:
        return self._by_origin.get(origin, [])

    @cached_property
    def _by_origin(self) -> dict[str, list[tuple[bytes, list[tuple[float, DiscoveredUrl]]]]]:
        origins: dict[str, list[tuple[bytes, list[tuple[float, DiscoveredUrl]]]]] = defaultdict(list)
        for key, found in self.discovered.items():
            origins["/".join(found[0][1].href.split("/", 3)[:3])].append((key, found))
        return origins

    @cached_property
    def robots_came(self) -> dict[tuple[str, int], float]:
        """When the first complete robots.txt of a host reached each life."""
        came: dict[tuple[str, int], float] = {}
        for request in self.wire.requests:
            if request.kind == "robots" and request.answer.is_page and not request.cut:
                came.setdefault((request.host, request.life), request.end)
        return came

    def is_parked(self, url: DiscoveredUrl) -> bool:
        """Whether this discovery is beyond the depth limit."""
        deepest = self.simulation.settings.scope.max_depth
        return deepest is not None and url.kind == "page" and url.depth > deepest

    def ended(self, key: bytes, before: float) -> bool:
        return any(at < before for at, _ in self.finished.get(key, ()))

    def sent(self) -> list[Request]:
        return [request for request in self.wire.requests if request.sent]

    def tries(self) -> list[Request]:
        """Sent requests and failed connections."""
        return [request for request in self.wire.requests if request.answer.failure != NOT_RECORDED]

    def is_same_turn(self, before: Request, request: Request) -> bool:
        """Whether `request` tries the next address of a host after a failed connection: no byte was sent yet, and all
        tries share one total time-out."""
        return (
            request.goes_on
            and not before.sent
            and (before.url.href, before.life) == (request.url.href, request.life)
            and before.address != request.address
            and request.start - before.start <= self.simulation.settings.fetch.total_timeout
        )

    def tried_on(self, host: str) -> list[Request]:
        """Requests to a host, including failed connections: such a URL waits for a retry, not for its turn."""
        return self._tried[host]

    @cached_property
    def _tried(self) -> dict[str, list[Request]]:
        return by_host([request for request in self.wire.requests if request.kind != "robots"])

    def order_in_force(self, host: str, at: float) -> HostOrder | None:
        """The order for a host at this time. None also if the next order may already be obeyed without being in a
        frame."""
        orders = self.orders.get(host, [])
        index = bisect_right(orders, at, key=lambda entry: entry[0])
        if index == 0 or (index < len(orders) and orders[index][1].at <= at):
            return None
        return orders[index - 1][1]

    def _file(self, at: float, event: AnyEvent) -> None:
        match event:
            case HostState():
                self.hosts[event.host].append((at, event))
            case RobotsCopy():
                self.robots[event.origin].append((at, event))
            case HostOrder():
                self.orders[event.host].append((at, event))
            case Finished():
                self.finished[event.key].append((at, event))
            case Discovered():
                for found in self._found(event):
                    self.discovered[found.key].append((at, found))
            case FoundCloser():
                for found in self._found(event):
                    self.found_closer[found.key].append((at, found))

    def _found(self, event: Discovered | FoundCloser) -> list[DiscoveredUrl]:
        urls = decode_discoveries(event.data)
        for url in urls:
            if url.source is not None:
                self.found_by[url.source].append(url)
        return urls


def by_host(requests: list[Request]) -> dict[str, list[Request]]:
    return _group(requests, lambda request: request.host)


def by_address(requests: list[Request]) -> dict[str, list[Request]]:
    return _group(requests, lambda request: request.address)


def by_key(requests: list[Request]) -> dict[bytes, list[Request]]:
    return _group(requests, lambda request: request.url.key)


Name = TypeVar("Name")


def _group(requests: list[Request], name: Callable[[Request], Name]) -> dict[Name, list[Request]]:
    groups: dict[Name, list[Request]] = defaultdict(list)
    for request in requests:
        groups[name(request)].append(request)
    return groups
