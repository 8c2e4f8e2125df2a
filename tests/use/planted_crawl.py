"""Crawl directories written by hand: the log by its own writer, attempt records byte by byte.

Times are seconds after `EPOCH`. Whoever plants nothing gets a crawl that is polite in every way.
"""

import struct
from collections.abc import Callable
from contextlib import closing
from ipaddress import IPv6Address, ip_address
from itertools import groupby
from pathlib import Path
from zlib import crc32

import msgspec

from hondius.crawler.crawl_settings import write_settings
from hondius.model import (
    AnyEvent,
    Blacklisted,
    Discovered,
    Finished,
    HostOrder,
    HostState,
    RobotsCopy,
    RobotsHop,
    RunStarted,
    State,
)
from hondius.native import Identity, UrlStore, host_hash
from hondius.ports import Place
from hondius.settings import PolitenessSettings, Settings
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.factory import EmbeddedPlace
from hondius.use.audit.kinds import Kind

EPOCH = 1_800_000_000.0
RULES = msgspec.to_builtins(PolitenessSettings())
KINDS = ("page", "robots", "sitemap")
HOME = "127.0.0.1:80"
COMMIT = 0.2


def record(
    at: float,
    href: str,
    *,
    ended: bool,
    status: int = 0,
    kind: str = "page",
    address: str = HOME,
    sent: bool = True,
) -> bytes:
    """As `native/src/engine/attempts.rs` lays it out."""
    url = Identity().parse(href)
    bare, _, port = address.rpartition(":")
    found = ip_address(bare.strip("[]"))
    octets = found.packed if isinstance(found, IPv6Address) else IPv6Address(f"::ffff:{found}").packed
    head = struct.pack("<BBBBHHd", 1, ended | (0 if sent else 2), KINDS.index(kind), 0, int(port), status, at)
    content = head + url.key + octets + struct.pack("<QI", host_hash(url.host), 0)
    return content + struct.pack("<I", crc32(content))


class PlantedCrawl:
    def __init__(self, directory: Path, rules: dict[str, float] | None = None) -> None:
        self._directory = directory
        self._events: list[tuple[int, float, AnyEvent]] = []
        self._runs: list[list[bytes]] = []
        self._urls = UrlStore(":memory:", capacity=10_000)
        self.run(0.0, RULES if rules is None else rules)

    def run(self, at: float, rules: dict[str, float] = RULES) -> None:
        """A run that starts before the one before it ended: the clock was set back."""
        self._runs.append([])
        self.tell(at, RunStarted(EPOCH + at, "0", "Hondius", rules, len(self._runs)))

    def forget_start(self) -> None:
        """The frame that told of the first run is lost."""
        del self._events[0]

    def tell(self, at: float, event: AnyEvent) -> None:
        self._events.append((len(self._runs), EPOCH + at + COMMIT, event))

    def robots(self, origin: str, at: float, text: str = "", *, address: str = HOME, **said: object) -> None:
        """Asked for, answered and committed. `said` replaces what the copy has."""
        self.request(f"{origin}/robots.txt", at, took=0.01, kind="robots", address=address)
        came = EPOCH + at + 0.02
        copy = RobotsCopy(origin, came, "parsed", 200, came + 86_400, text.encode(), came)
        self.tell(at + 0.02, msgspec.structs.replace(copy, **said))

    def request(
        self,
        href: str,
        at: float,
        *,
        took: float | None = 0.05,
        status: int = 200,
        kind: str = "page",
        address: str = HOME,
    ) -> None:
        """Only the records; without an end where `took` is None."""
        records = self._runs[-1]
        records.append(record(EPOCH + at, href, ended=False, kind=kind, address=address))
        if took is not None:
            records.append(record(EPOCH + at + took, href, ended=True, status=status, kind=kind, address=address))

    def unconnected(self, href: str, at: float, address: str, *, took: float = 0.01) -> None:
        """No connection came about, so no byte of a request was sent."""
        self._runs[-1].append(record(EPOCH + at, href, ended=False, address=address, sent=False))
        self._runs[-1].append(record(EPOCH + at + took, href, ended=True, address=address, sent=False))

    def discover(self, href: str, at: float) -> None:
        url = Identity().parse(href)
        found = self._urls.admit(
            [(url.href, url.key)],
            None,
            depth=0,
            priority=0.5,
            discovered_at=EPOCH + at,
            max_depth=None,
            via="seed",
        )
        self.tell(at, Discovered(found.data, found.count))

    def page(
        self,
        href: str,
        at: float,
        *,
        took: float = 0.05,
        status: int = 200,
        kind: str = "page",
        address: str = HOME,
        **state: float,
    ) -> None:
        """Sent, answered and committed; its host's clock is set to the second that P1 asks for, or as `state` says."""
        self.request(href, at, took=took, status=status, kind=kind, address=address)
        self.ending(href, at, took, status)
        ended = EPOCH + at + took
        clock = {"not_before": ended + 1.0} | {
            name: EPOCH + value if name in ("not_before", "circuit_until") else value for name, value in state.items()
        }
        self.tell(at + took, HostState(Identity().parse(href).host, ended, **clock))  # type: ignore[arg-type]

    def ending(self, href: str, at: float, took: float = 0.05, status: int = 200) -> None:
        url = Identity().parse(href)
        started = struct.unpack("<d", struct.pack("<d", EPOCH + at))[0]
        event = Finished(url.key, url.href, url.key_form, url.host, State.COMPLETED, "", started_at=started)
        self.tell(at + took, msgspec.structs.replace(event, fetched_at=EPOCH + at + took, status=status))

    def written(self) -> Path:
        place = EmbeddedPlace(self._directory)
        self.write(place)
        place.disk.close()
        return self._directory

    def write(self, place: Place) -> None:
        """Attempt records are files in any world."""
        write_settings(place, Settings())
        with closing(place.open_log()) as log:
            for (_, at), group in groupby(sorted(self._events, key=lambda each: each[:2]), lambda each: each[:2]):
                log.append([event for _, _, event in group], at)
        with closing(EmbeddedDisk(place.directory)) as disk:
            for number, records in enumerate(self._runs, start=1):
                in_time = sorted(records, key=lambda data: struct.unpack_from("<d", data, 8)[0])
                disk.replace(f"log/attempts-{number:08}", b"".join(in_time))


def polite(crawl: PlantedCrawl) -> None:
    crawl.robots("http://a.test", 1.0, "User-agent: *\nDisallow: /private\n")
    crawl.page("http://a.test/", 3.0)
    crawl.page("http://a.test/1", 5.0)


A = "http://a.test"
FORBIDS = "User-agent: hondius\nDisallow: /private\nAllow: /private/open\n"


def overlap(crawl: PlantedCrawl) -> None:
    crawl.page(f"{A}/slow", 10.0, took=2.0)
    crawl.page(f"{A}/other", 11.5)


def too_soon(crawl: PlantedCrawl) -> None:
    crawl.page(f"{A}/2", 10.0, not_before=10.5)
    crawl.page(f"{A}/3", 10.9)


def too_soon_after_a_slow_answer(crawl: PlantedCrawl) -> None:
    crawl.page(f"{A}/2", 10.0, took=2.0, not_before=13.0)
    crawl.page(f"{A}/3", 20.0)


def too_soon_after_a_kill(crawl: PlantedCrawl) -> None:
    crawl.discover(f"{A}/cut-off", 9.0)
    crawl.request(f"{A}/cut-off", 10.0, took=None)
    crawl.run(10.2)
    crawl.page(f"{A}/3", 10.8)


def too_soon_after_the_clock_was_set_back(crawl: PlantedCrawl) -> None:
    crawl.page(f"{A}/2", 10.0, not_before=10.5)
    crawl.run(-172_000.0)
    crawl.page(f"{A}/3", -171_999.5)


def forbidden_after_the_clock_was_set_back(crawl: PlantedCrawl) -> None:
    crawl.run(-172_000.0)
    crawl.robots(A, -171_998.0, "User-agent: *\nDisallow: /other\n")
    crawl.page(f"{A}/2", -171_996.0)
    crawl.page(f"{A}/other", -171_994.0)


def too_soon_at_the_same_address(crawl: PlantedCrawl) -> None:
    crawl.unconnected(f"{A}/2", 10.0, "127.0.0.2:80")
    crawl.unconnected(f"{A}/2", 10.5, "127.0.0.2:80")


def too_soon_after_no_connection_came_about(crawl: PlantedCrawl) -> None:
    crawl.unconnected(f"{A}/2", 10.0, "127.0.0.2:80")
    crawl.unconnected(f"{A}/2", 10.1, "127.0.0.3:80")
    crawl.page(f"{A}/3", 10.5)


def crawl_delay(crawl: PlantedCrawl) -> None:
    crawl.robots("http://b.test", 10.0, "User-agent: *\nCrawl-delay: 5\n", address="127.0.0.2:80")
    crawl.page("http://b.test/", 13.0, address="127.0.0.2:80")


def back_off(crawl: PlantedCrawl) -> None:
    crawl.page(f"{A}/2", 10.0, status=503, back_off=2.0)
    crawl.page(f"{A}/3", 11.5)


def retry_after(crawl: PlantedCrawl) -> None:
    crawl.page(f"{A}/2", 10.0, status=429, not_before=40.0)
    crawl.page(f"{A}/3", 20.0)


def circuit(crawl: PlantedCrawl) -> None:
    crawl.page(f"{A}/2", 10.0, circuit_until=70.0)
    crawl.page(f"{A}/3", 30.0)


def circuit_that_never_opened(crawl: PlantedCrawl) -> None:
    for number in range(5):
        crawl.page(f"{A}/{number + 2}", 10.0 + 10 * number, status=500)
    crawl.page(f"{A}/9", 80.0)


def address_gap(crawl: PlantedCrawl) -> None:
    crawl.robots("http://b.test", 10.0, address="127.0.0.2:80")
    crawl.robots("http://c.test", 10.05, address="127.0.0.2:8080")


def address_crowd(crawl: PlantedCrawl) -> None:
    for number in range(9):
        crawl.robots(f"http://h{number}.test", 10.0 + number, address="[::1]:80")
        crawl.page(f"http://h{number}.test/", 30.0 + number / 5, took=5.0, address="[::1]:80")


def forbidden(crawl: PlantedCrawl) -> None:
    crawl.page(f"{A}/private/2", 10.0)


def forbidden_and_never_told(crawl: PlantedCrawl) -> None:
    """Its name is known only from its discovery."""
    crawl.discover(f"{A}/private/3", 9.0)
    crawl.request(f"{A}/private/3", 10.0)


def forbidden_since_the_copy_changed(crawl: PlantedCrawl) -> None:
    crawl.robots("http://a.test", 10.0, "User-agent: *\nDisallow: /1\n")
    crawl.page(f"{A}/1", 12.0)


def robots_hop(crawl: PlantedCrawl, href: str, at: float, source: str = "http://b.test/robots.txt") -> None:
    """A robots.txt that redirects."""
    crawl.request(source, at, kind="robots", status=302, address="127.0.0.2:80")
    crawl.request(href, at + 2.0, kind="robots")
    crawl.tell(at + 2.1, RobotsHop(href, source, EPOCH + at + 2.0))


def forbidden_and_redirected_to(crawl: PlantedCrawl) -> None:
    robots_hop(crawl, f"{A}/private/rules.txt", 10.0)


def forbidden_and_redirected_to_after_the_clock_was_set_back(crawl: PlantedCrawl) -> None:
    crawl.run(-172_000.0)
    crawl.robots("http://a.test", -171_990.0, "User-agent: *\nDisallow: /rules\n")
    robots_hop(crawl, f"{A}/rules.txt", -171_980.0)


def robots_unknown(crawl: PlantedCrawl) -> None:
    crawl.page("http://b.test/", 10.0)


def robots_of_another_port(crawl: PlantedCrawl) -> None:
    crawl.page("http://a.test:8080/", 10.0)


def robots_expired(crawl: PlantedCrawl) -> None:
    crawl.page(f"{A}/2", 90_000.0)


def robots_expired_by_max_age(crawl: PlantedCrawl) -> None:
    crawl.robots("http://b.test", 10.0, expires_at=EPOCH + 70.0, address="127.0.0.2:80")
    crawl.page("http://b.test/", 140.0, address="127.0.0.2:80")


def robots_unreachable(crawl: PlantedCrawl) -> None:
    crawl.robots("http://b.test", 10.0, outcome="unreachable", status=503, good_at=None, address="127.0.0.2:80")
    crawl.page("http://b.test/", 13.0, address="127.0.0.2:80")


def paused(crawl: PlantedCrawl) -> None:
    crawl.tell(10.0, HostOrder("a.test", EPOCH + 10.0, paused_until=EPOCH + 1_000.0))
    crawl.page(f"{A}/2", 20.0)


def ordered_delay(crawl: PlantedCrawl) -> None:
    crawl.tell(10.0, HostOrder("a.test", EPOCH + 10.0, delay=30.0))
    crawl.page(f"{A}/2", 50.0)
    crawl.page(f"{A}/3", 60.0)


def ordered_delay_during_a_turn(crawl: PlantedCrawl) -> None:
    """The last request ended at 5.05. The order is in force before the second address of the turn is tried."""
    crawl.unconnected(f"{A}/2", 10.0, "127.0.0.2:80", took=9.0)
    crawl.tell(11.0, HostOrder("a.test", EPOCH + 11.0, delay=30.0))
    crawl.unconnected(f"{A}/2", 20.0, "127.0.0.3:80")


def blacklisted(crawl: PlantedCrawl) -> None:
    crawl.robots("http://www.b.test", 10.0, address="127.0.0.2:80")
    crawl.tell(11.0, Blacklisted("b.test", "they asked", EPOCH + 11.0))
    crawl.page("http://www.b.test/", 20.0, address="127.0.0.2:80")


def blacklisted_and_asked_for_robots(crawl: PlantedCrawl) -> None:
    crawl.tell(5.0, Blacklisted("b.test", "they asked", EPOCH + 5.0))
    crawl.robots("http://b.test", 10.0, address="127.0.0.2:80")


def unrecorded(crawl: PlantedCrawl) -> None:
    crawl.ending(f"{A}/secret", 10.0)


Plant = Callable[[PlantedCrawl], None]
PLANTS: list[tuple[Kind, Plant]] = [
    (Kind.OVERLAP, overlap),
    (Kind.PAUSE, too_soon),
    (Kind.PAUSE, too_soon_after_a_slow_answer),
    (Kind.PAUSE, too_soon_after_a_kill),
    (Kind.PAUSE, too_soon_after_the_clock_was_set_back),
    (Kind.PAUSE, too_soon_at_the_same_address),
    (Kind.PAUSE, too_soon_after_no_connection_came_about),
    (Kind.CRAWL_DELAY, crawl_delay),
    (Kind.BACK_OFF, back_off),
    (Kind.NOT_BEFORE, retry_after),
    (Kind.CIRCUIT, circuit),
    (Kind.CIRCUIT, circuit_that_never_opened),
    (Kind.ADDRESS_GAP, address_gap),
    (Kind.ADDRESS_CROWD, address_crowd),
    (Kind.FORBIDDEN, forbidden),
    (Kind.FORBIDDEN, forbidden_and_never_told),
    (Kind.FORBIDDEN, forbidden_after_the_clock_was_set_back),
    (Kind.FORBIDDEN, forbidden_since_the_copy_changed),
    (Kind.FORBIDDEN, forbidden_and_redirected_to),
    (Kind.FORBIDDEN, forbidden_and_redirected_to_after_the_clock_was_set_back),
    (Kind.ROBOTS_UNKNOWN, robots_unknown),
    (Kind.ROBOTS_UNKNOWN, robots_of_another_port),
    (Kind.ROBOTS_EXPIRED, robots_expired),
    (Kind.ROBOTS_EXPIRED, robots_expired_by_max_age),
    (Kind.ROBOTS_UNREACHABLE, robots_unreachable),
    (Kind.PAUSED, paused),
    (Kind.ORDERED_DELAY, ordered_delay),
    (Kind.ORDERED_DELAY, ordered_delay_during_a_turn),
    (Kind.BLACKLISTED, blacklisted),
    (Kind.BLACKLISTED, blacklisted_and_asked_for_robots),
    (Kind.UNRECORDED, unrecorded),
]
"""Each breaks one rule, and no other. Damaged records are planted by whoever has the file."""


def plant_crawl(directory: Path, plant: Plant) -> Path:
    crawl = PlantedCrawl(directory)
    polite(crawl)
    plant(crawl)
    return crawl.written()
