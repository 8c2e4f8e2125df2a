"""What a run knows of the requests of those before it (F5, P1)."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from hondius.crawler.politeness import Hosts, Sent, find_unfinished_requests
from hondius.model import HostOrder, HostState
from hondius.native import host_hash
from hondius.settings import PolitenessSettings
from hondius.stores.attempts.files import AttemptFiles
from hondius.stores.disk.embedded import EmbeddedDisk
from tests.use.planted_crawl import EPOCH, record

START = EPOCH + 100.0


def hosts(directory: Path, seconds: float = 60.0, known: Mapping[str, HostState] = MappingProxyType({})) -> Hosts:
    files = AttemptFiles(EmbeddedDisk(directory))
    unfinished = find_unfinished_requests(files.last(seconds), START)
    return Hosts(PolitenessSettings(), load=known.get, earliest=START + 1.0, unfinished=unfinished)


def write(directory: Path, run: int, *records: bytes) -> None:
    EmbeddedDisk(directory).replace(f"log/attempts-{run:08}", b"".join(records))


def test_f5_a_request_of_the_run_before_the_last_is_remembered(tmp_path: Path) -> None:
    """The second run was killed before it could contact that host again."""
    write(
        tmp_path,
        1,
        record(EPOCH + 90.0, "http://a.test/", ended=False),
        record(EPOCH + 93.0, "http://b.test/", ended=False),
    )
    write(tmp_path, 2, record(EPOCH + 99.0, "http://c.test/", ended=False))
    write(tmp_path, 3)
    known = hosts(tmp_path)
    assert known.get("a.test").not_before == pytest.approx(EPOCH + 99.0 + 30.0), "it was cut off by then"
    assert known.get("c.test").not_before == START + 1.0
    assert known.get("d.test").not_before == 0.0


def test_f5_runs_that_ended_long_ago_are_not_read(tmp_path: Path) -> None:
    write(tmp_path, 1, record(EPOCH, "http://a.test/", ended=False))
    write(tmp_path, 2, record(EPOCH + 99.0, "http://c.test/", ended=False))
    runs = AttemptFiles(EmbeddedDisk(tmp_path)).last(60.0)
    assert [[attempt.host_hash for attempt in run] for run in runs] == [[host_hash("c.test")]]


def test_f5_a_request_is_remembered_though_the_clock_was_set_forward_since(tmp_path: Path) -> None:
    """By the clock of this run it was sent two days ago; perhaps that was a moment ago."""
    write(tmp_path, 1, record(START - 172_800.0, "http://a.test/", ended=False))
    assert hosts(tmp_path).get("a.test").not_before >= START + 1.0


def test_f5_an_ipv6_host_is_remembered_by_the_name_that_records_have() -> None:
    """Records name it without brackets."""
    unfinished = {host_hash("::1"): Sent(EPOCH + 99.0, 0.5)}
    known = Hosts(PolitenessSettings(), load=lambda name: None, earliest=START, unfinished=unfinished)
    assert known.get("[::1]").not_before == EPOCH + 104.0


def test_p2_an_answer_429_that_no_frame_knows_of_doubles_the_delay_all_the_same(tmp_path: Path) -> None:
    write(
        tmp_path,
        1,
        record(EPOCH + 97.0, "http://a.test/", ended=False),
        record(EPOCH + 97.01, "http://a.test/", ended=True, status=429),
        record(EPOCH + 99.0, "http://a.test/", ended=False),
        record(EPOCH + 99.01, "http://a.test/", ended=True, status=429),
    )
    fresh = hosts(tmp_path).get("a.test")
    assert fresh.back_off == 4.0
    assert fresh.not_before == pytest.approx(EPOCH + 103.01)
    told = HostState("a.test", EPOCH + 97.02, EPOCH + 99.0, back_off=2.0)
    assert hosts(tmp_path, known={"a.test": told}).get("a.test").back_off == 4.0
    told = HostState("a.test", EPOCH + 99.02, EPOCH + 103.0, back_off=4.0)
    assert hosts(tmp_path, known={"a.test": told}).get("a.test").back_off == 4.0


def test_p1_an_ordered_delay_counts_from_the_last_request(tmp_path: Path) -> None:
    state = HostState("a.test", EPOCH + 99.5, EPOCH + 100.0)
    known = hosts(tmp_path, known={"a.test": state})
    known.get("a.test")
    known.obey(HostOrder("a.test", START, delay=60.0))
    assert known.get("a.test").not_before == EPOCH + 159.5
    known.obey(HostOrder("b.test", START, delay=60.0))
    assert known.get("b.test").not_before == 0.0


def test_f3_those_that_nobody_needs_are_forgotten_and_the_others_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hondius.crawler.politeness.known_hosts.MOST_REMEMBERED", 100)
    known = Hosts(PolitenessSettings(), load=lambda name: None, earliest=START, unfinished={})
    needed = []
    for number in range(150):
        needed.append(host := known.get(f"n{number}.test"))
        if number % 3 == 0:
            host.begin(START)
        elif number % 3 == 1:
            host.hold()
        else:
            host.save(START)
    for number in range(1_000):
        known.get(f"h{number}.test")
    assert len(known) <= 201, "a third more than those that are needed"
    assert all(known.find(host.name) is host for host in needed)
    for number, host in enumerate(needed):
        if number % 3 == 0:
            host.cancel()
        elif number % 3 == 1:
            host.release()
        else:
            known.mark_saved(host.name)
    for number in range(1_000):
        known.get(f"h{number}.test")
    assert len(known) <= 100


@pytest.mark.defect("hosts without a state were read back from a view that does not have them")
def test_f3_only_hosts_that_the_view_has_are_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hondius.crawler.politeness.known_hosts.MOST_REMEMBERED", 100)
    known = Hosts(PolitenessSettings(), load=lambda name: None, earliest=START, unfinished={}, view_may_know=False)
    for number in range(1_000):
        assert known.get_loaded(f"h{number}.test") is not None
    assert len(known) <= 100
    assert known.get_loaded("h0.test") is not None, "it was forgotten, and the view does not have it either"
    known.get("saved.test").save(START)
    known.mark_saved("saved.test")
    for number in range(1_000):
        known.get(f"n{number}.test")
    assert known.get_loaded("saved.test") is None, "it is in the view"
