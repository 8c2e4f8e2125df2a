"""`hondius audit` finds whatever was sent too soon or against robots.txt, and nothing else (P7)."""

import asyncio
import json
import math
import re
import struct
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest

from hondius.model import Blacklisted, HostOrder, HostState, RobotsCopy, RunEnded
from hondius.operate.cli import main
from hondius.settings import Settings
from hondius.stores.log import frames
from hondius.stores.log.frames import split
from hondius.stores.log.segments import HEADER_SIZE
from hondius.use.audit import Report, audit_crawl, render_page
from hondius.use.audit.kinds import Kind
from hondius.use.rebuild import salvage_log
from tests.journeys.scripted_site import Answer, Script, crawl, scripted_site
from tests.use.planted_crawl import (
    EPOCH,
    PLANTS,
    RULES,
    Plant,
    PlantedCrawl,
    plant_crawl,
    polite,
    record,
    robots_hop,
)

A = "http://a.test"


def list_violations(report: Report) -> set[Kind]:
    return {tally.kind for tally in report.tallies if tally.violations}


@pytest.mark.parametrize(("kind", "plant"), PLANTS, ids=lambda value: getattr(value, "__name__", value))
def test_p7_a_planted_violation_is_found_and_no_other(tmp_path: Path, kind: Kind, plant: Plant) -> None:
    report, _ = audit_crawl(plant_crawl(tmp_path, plant))
    assert list_violations(report) == {kind}
    (tally,) = [tally for tally in report.tallies if tally.violations]
    assert tally.violations == len(tally.worst) == 1
    assert tally.worst[0].at > EPOCH


def test_p7_every_kind_is_planted(tmp_path: Path) -> None:
    assert {kind for kind, _ in PLANTS} == set(Kind) - {Kind.DAMAGED}


def test_p7_a_polite_crawl_is_clean_and_what_came_closest_is_told(tmp_path: Path) -> None:
    report, _ = audit_crawl(plant_crawl(tmp_path, lambda crawl: None))
    assert report.clean
    assert (report.requests, report.hosts, report.without_end, report.notes) == (3, 1, 0, [])
    pause = next(tally for tally in report.tallies if tally.kind is Kind.PAUSE)
    assert (pause.checked, pause.violations) == (2, 0)
    assert pause.worst[0].found == pytest.approx(1.95)
    assert pause.worst[0].host == "a.test"


@pytest.mark.parametrize("at", [math.nan, 1e15])
def test_q2_values_that_hondius_cannot_have_written_end_an_audit_with_advice(
    tmp_path: Path, at: float, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger wrote them: Hondius refuses to."""
    monkeypatch.setattr(frames, "find_implausible", lambda events: None)
    event = RobotsCopy(A, at, "none", 404, at)
    directory = plant_crawl(tmp_path, lambda crawl: crawl.tell(9.0, event))
    assert main.run(["audit", str(directory)]) == 2
    said = capsys.readouterr().err
    assert "cannot have written" in said
    assert "--salvage" in said


def kept_alive_by_a_hair(crawl: PlantedCrawl) -> None:
    """Within the tolerance of the clock."""
    crawl.page(f"{A}/2", 10.0)
    crawl.page(f"{A}/3", 11.0495)


def retry_after_is_no_back_off(crawl: PlantedCrawl) -> None:
    crawl.page(f"{A}/2", 10.0, status=503, not_before=11.2)
    crawl.page(f"{A}/3", 11.3)


def allowed_by_the_longer_rule(crawl: PlantedCrawl) -> None:
    crawl.robots(A, 10.0, "User-agent: hondius\nDisallow: /private\nAllow: /private/open\n")
    crawl.page(f"{A}/private/open", 12.0)


def before_the_order_binds(crawl: PlantedCrawl) -> None:
    crawl.tell(10.0, HostOrder("a.test", EPOCH + 10.0, paused_until=EPOCH + 1_000.0))
    crawl.page(f"{A}/2", 11.5)


def after_the_order_was_lifted(crawl: PlantedCrawl) -> None:
    crawl.tell(10.0, HostOrder("a.test", EPOCH + 10.0, paused_until=EPOCH + 1_000.0, delay=50.0))
    crawl.tell(20.0, HostOrder("a.test", EPOCH + 20.0))
    crawl.tell(10.0, Blacklisted("test", "for a while", EPOCH + 10.0))
    crawl.tell(20.0, Blacklisted("test", "", EPOCH + 20.0, lifted=True))
    crawl.page(f"{A}/2", 20.5)


def a_good_copy_while_robots_cannot_be_had(crawl: PlantedCrawl) -> None:
    failed_at = 90_000.0
    crawl.robots(A, failed_at, outcome="unreachable", good_at=EPOCH + 1.0, expires_at=EPOCH + failed_at + 60)
    crawl.page(f"{A}/2", 90_002.0)


def a_good_copy_of_last_year(crawl: PlantedCrawl) -> None:
    failed_at = 400 * 86_400.0
    crawl.robots(A, failed_at, outcome="unreachable", good_at=EPOCH + 1.0, expires_at=EPOCH + failed_at + 60)
    crawl.page(f"{A}/2", failed_at + 2.0)


def an_end_that_only_the_log_has(crawl: PlantedCrawl) -> None:
    """The disk was full when it came."""
    crawl.request(f"{A}/2", 10.0, took=None)
    crawl.ending(f"{A}/2", 10.0)
    crawl.page(f"{A}/3", 12.0)


def robots_redirected_to_another_host(crawl: PlantedCrawl) -> None:
    crawl.request("http://b.test/robots.txt", 10.0, kind="robots", status=301, address="127.0.0.2:80")
    crawl.robots("http://b.test", 12.0, address="127.0.0.2:80")


def robots_redirected_to_what_is_allowed(crawl: PlantedCrawl) -> None:
    robots_hop(crawl, f"{A}/rules.txt", 10.0)
    robots_hop(crawl, f"{A}/robots.txt", 20.0)
    robots_hop(crawl, "http://unknown.test/private/rules.txt", 30.0)


def a_site_that_moves_its_own_robots(crawl: PlantedCrawl) -> None:
    robots_hop(crawl, f"{A}/private/rules.txt", 10.0, f"{A}/robots.txt")


def redirected_while_the_rules_came_from_elsewhere(crawl: PlantedCrawl) -> None:
    """The request was being connected for when they came."""
    robots_hop(crawl, "http://c.test/rules.txt", 8.0, f"{A}/robots.txt")
    robots_hop(crawl, f"{A}/open/rules.txt", 20.0)
    came = EPOCH + 21.0
    crawl.tell(21.0, RobotsCopy(A, came, "parsed", 200, came + 86_400, b"User-agent: *\nDisallow: /\n", came))


def another_address_of_the_same_host(crawl: PlantedCrawl) -> None:
    """All in one turn: no byte of a request was sent before the last of them."""
    crawl.unconnected(f"{A}/2", 10.0, "127.0.0.2:80")
    crawl.unconnected(f"{A}/2", 10.02, "127.0.0.3:80")
    crawl.page(f"{A}/2", 10.04)
    crawl.page(f"{A}/3", 11.2)


def test_p7_a_delay_ordered_during_a_turn_counts_from_the_request_before_the_turn(tmp_path: Path) -> None:
    """Seed 41 of the simulation: no byte of a request is sent until an address accepts the connection."""
    crawl = PlantedCrawl(tmp_path)
    polite(crawl)
    crawl.unconnected(f"{A}/2", 10.0, "127.0.0.2:80", took=9.0)
    crawl.tell(11.0, HostOrder("a.test", EPOCH + 11.0, delay=14.0))
    crawl.page(f"{A}/2", 20.0, address="127.0.0.3:80")
    report, _ = audit_crawl(crawl.written())
    assert report.clean


def the_clock_was_set_back(crawl: PlantedCrawl) -> None:
    crawl.page(f"{A}/slow", 10.0, took=2.0, not_before=32.0)
    crawl.run(-172_000.0)
    crawl.robots(A, -171_979.0)
    crawl.page(f"{A}/2", -171_977.0)
    crawl.tell(-171_970.0, RunEnded(EPOCH - 171_970.0, "done"))
    crawl.run(100.0)
    crawl.robots(A, 102.0)
    crawl.page(f"{A}/3", 104.0)


def a_run_that_sent_nothing_before_the_clock_was_set_back(crawl: PlantedCrawl) -> None:
    crawl.page(f"{A}/2", 10.0)
    crawl.run(20.0)
    crawl.run(-172_000.0)
    crawl.robots(A, -171_998.0)
    crawl.page(f"{A}/3", -171_996.0)


def an_order_after_the_clock_was_set_back(crawl: PlantedCrawl) -> None:
    """Given while no run was under way: it binds the next run, not the last."""
    crawl.page(f"{A}/2", 10.0)
    crawl.run(-172_000.0)
    crawl.tell(-171_999.0, Blacklisted("a.test", "they asked", EPOCH - 171_999.0))


@pytest.mark.parametrize(
    "plant",
    [
        another_address_of_the_same_host,
        the_clock_was_set_back,
        a_run_that_sent_nothing_before_the_clock_was_set_back,
        an_order_after_the_clock_was_set_back,
        kept_alive_by_a_hair,
        retry_after_is_no_back_off,
        allowed_by_the_longer_rule,
        before_the_order_binds,
        after_the_order_was_lifted,
        a_good_copy_while_robots_cannot_be_had,
        a_good_copy_of_last_year,
        an_end_that_only_the_log_has,
        robots_redirected_to_another_host,
        robots_redirected_to_what_is_allowed,
        a_site_that_moves_its_own_robots,
        redirected_while_the_rules_came_from_elsewhere,
    ],
    ids=lambda plant: plant.__name__,
)
def test_p7_what_is_allowed_is_no_violation(tmp_path: Path, plant: Callable[[PlantedCrawl], None]) -> None:
    report, _ = audit_crawl(plant_crawl(tmp_path, plant))
    assert list_violations(report) == set()


def test_p7_an_audit_says_that_the_clock_was_set_back(tmp_path: Path) -> None:
    report, _ = audit_crawl(plant_crawl(tmp_path, the_clock_was_set_back))
    assert report.requests == 8
    assert "set back once" in report.notes[0]


# ---- runs ----------------------------------------------------------------------------------------------


def test_p1_a_crawl_delay_is_judged_as_it_was_asked_for_whatever_the_run_had_as_its_cap(tmp_path: Path) -> None:
    crawl = PlantedCrawl(tmp_path, RULES | {"crawl_delay_cap": 60.0})
    crawl.robots(A, 1.0, "User-agent: *\nCrawl-delay: 600\n")
    crawl.page(f"{A}/", 602.0)
    crawl.page(f"{A}/1", 700.0)
    report, _ = audit_crawl(crawl.written())
    assert list_violations(report) == {Kind.CRAWL_DELAY}
    (tally,) = [tally for tally in report.tallies if tally.violations]
    assert (tally.violations, tally.worst[0].needed) == (1, 600.0)


def test_b2_a_good_copy_that_the_crawl_gave_up_after_thirty_days_is_still_held_against_it(tmp_path: Path) -> None:
    crawl, later = PlantedCrawl(tmp_path), 40 * 86_400.0
    crawl.robots(A, 1.0, "User-agent: *\nDisallow: /private\n")
    crawl.robots(A, later, outcome="none", status=503, good_at=None, body=b"")
    crawl.page(f"{A}/private", later + 2.0)
    assert list_violations(audit_crawl(crawl.written())[0]) == {Kind.FORBIDDEN}


def test_b2_a_robots_that_is_gone_forbids_nothing_any_more(tmp_path: Path) -> None:
    crawl, later = PlantedCrawl(tmp_path), 40 * 86_400.0
    crawl.robots(A, 1.0, "User-agent: *\nDisallow: /private\n")
    crawl.robots(A, later - 90.0, outcome="none", status=404, good_at=None, body=b"")
    crawl.robots(A, later, outcome="none", status=None, good_at=None, body=b"")
    crawl.page(f"{A}/private", later + 2.0)
    assert audit_crawl(crawl.written())[0].clean


def test_b4_a_robots_txt_of_an_imported_archive_justifies_no_request(tmp_path: Path) -> None:
    crawl = PlantedCrawl(tmp_path)
    crawl.robots(A, 1.0, "User-agent: *\nAllow: /\n", imported="a.warc")
    crawl.page(f"{A}/", 3.0)
    assert list_violations(audit_crawl(crawl.written())[0]) == {Kind.ROBOTS_UNKNOWN}


def test_p1_without_a_delay_only_overlap_robots_and_circuit_are_judged(tmp_path: Path) -> None:
    crawl = PlantedCrawl(tmp_path, {**RULES, "delay": 0.0})
    polite(crawl)
    crawl.page(f"{A}/2", 10.0, circuit_until=40.0)
    crawl.page(f"{A}/3", 10.06)
    crawl.page(f"{A}/private", 50.0)
    report, _ = audit_crawl(crawl.written())
    assert list_violations(report) == {Kind.CIRCUIT, Kind.FORBIDDEN}
    assert "a delay of 0" in report.notes[0]


def test_p7_each_run_is_judged_by_its_own_rules(tmp_path: Path) -> None:
    crawl = PlantedCrawl(tmp_path, {**RULES, "delay": 5.0})
    crawl.robots(A, 1.0)
    crawl.tell(2.0, RunEnded(EPOCH + 2.0, "interrupted"))
    crawl.run(7.0)
    crawl.page(f"{A}/", 8.0)
    crawl.page(f"{A}/1", 9.5)
    assert audit_crawl(crawl.written())[0].clean


def test_p7_older_logs_are_judged_by_the_defaults_and_it_says_so(tmp_path: Path) -> None:
    crawl = PlantedCrawl(tmp_path, {})
    polite(crawl)
    crawl.page(f"{A}/2", 5.5)
    report, _ = audit_crawl(crawl.written())
    assert list_violations(report) == {Kind.PAUSE, Kind.NOT_BEFORE}
    assert "defaults" in report.notes[0]


def test_p7_a_run_whose_start_was_lost_is_not_judged_by_numbers_it_never_had(tmp_path: Path) -> None:
    """As after `hondius rebuild --salvage`."""
    crawl = PlantedCrawl(tmp_path)
    polite(crawl)
    crawl.page(f"{A}/2", 5.2)
    crawl.forget_start()
    report, _ = audit_crawl(crawl.written())
    assert Kind.PAUSE not in list_violations(report)
    assert "the log has no start of their run" in report.notes[0]


def test_f5_a_request_that_was_cut_off_counts_to_its_runs_last_sign_of_life(tmp_path: Path) -> None:
    crawl = PlantedCrawl(tmp_path)
    polite(crawl)
    crawl.discover(f"{A}/cut-off", 9.0)
    crawl.request(f"{A}/cut-off", 10.0, took=None)
    crawl.run(20.0)
    crawl.page(f"{A}/cut-off", 21.0)
    report, _ = audit_crawl(crawl.written())
    assert list_violations(report) == set()
    assert report.without_end == 1


def test_f5_a_robots_copy_that_died_with_its_process_proves_nothing(tmp_path: Path) -> None:
    crawl = PlantedCrawl(tmp_path, {**RULES, "delay": 0.0})
    polite(crawl)
    crawl.discover("http://b.test/", 9.0)
    crawl.request("http://b.test/robots.txt", 10.0, kind="robots")
    crawl.request("http://b.test/", 10.06, took=None)
    report, _ = audit_crawl(crawl.written())
    assert report.clean
    assert report.unproven == 1


def test_h3_a_url_that_was_renamed_is_judged_by_the_name_it_was_asked_for(tmp_path: Path) -> None:
    crawl = PlantedCrawl(tmp_path)
    crawl.robots(A, 1.0, "User-agent: *\nDisallow: /*sessionid\n")
    crawl.discover(f"{A}/x?sessionid=0123456789abcdef", 2.0)
    crawl.request(f"{A}/x?sessionid=0123456789abcdef", 3.0, status=302)
    crawl.page(f"{A}/x", 5.0)
    report, _ = audit_crawl(crawl.written())
    assert list_violations(report) == {Kind.FORBIDDEN}
    (case,) = next(tally.worst for tally in report.tallies if tally.violations)
    assert case.url == f"{A}/x?sessionid=0123456789abcdef"


# ---- the records themselves ----------------------------------------------------------------------------


def test_p7_damaged_and_missing_records_are_violations(tmp_path: Path) -> None:
    crawl = PlantedCrawl(tmp_path)
    polite(crawl)
    crawl.run(20.0)
    directory = crawl.written()
    file = directory / "log" / "attempts-00000001"
    data = bytearray(file.read_bytes())
    data[70] ^= 1
    file.write_bytes(data)
    report, _ = audit_crawl(directory)
    assert Kind.DAMAGED in list_violations(report)
    assert report.requests == 3, "what follows the damage is read"
    file.unlink()
    assert Kind.DAMAGED in list_violations(audit_crawl(directory)[0])


def test_p7_a_torn_tail_and_a_frame_being_written_are_not_read(tmp_path: Path) -> None:
    """As they look while the crawl runs."""
    directory = plant_crawl(tmp_path, lambda crawl: None)
    with (directory / "log" / "attempts-00000001").open("ab") as file:
        file.write(record(EPOCH + 9.0, f"{A}/2", ended=False)[:40])
    segment = next(directory.glob("log/*.log"))
    with segment.open("ab") as log:
        log.write(b"\x40\x00\x00\x00half a frame")
    before = segment.read_bytes()
    assert audit_crawl(directory)[0].clean
    assert segment.read_bytes() == before


def test_p7_neither_settings_nor_views_are_asked(tmp_path: Path) -> None:
    directory = plant_crawl(tmp_path, lambda crawl: None)
    (directory / "hondius.toml").write_text("nonsense [")
    (directory / "crawl.db").write_bytes(b"nonsense")
    assert audit_crawl(directory)[0].clean


SITE: Script = {
    "/robots.txt": Answer.robots("User-agent: *\nDisallow: /private\n"),
    "/": Answer.page("/1", "/private", "/old"),
    "/1": Answer.page(),
    "/old": Answer.redirect("/new"),
    "/new": Answer.page(),
}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("real") / "crawl"

    async def run() -> None:
        async with scripted_site(SITE) as site:
            ended = await crawl(site, directory, "http://a.test/", "http://b.test/", delay="0.2")
            assert ended.status == 0, ended.error

    asyncio.run(run())
    return directory


def test_p7_a_real_crawl_is_clean(real: Path) -> None:
    report, _ = audit_crawl(real)
    assert report.clean
    assert report.unnamed == report.unproven == 0
    checked = {tally.kind: tally.checked for tally in report.tallies}
    assert checked[Kind.FORBIDDEN] == report.requests - 2, "all but the two robots.txt"


@pytest.mark.parametrize("kind", [Kind.PAUSE, Kind.OVERLAP, Kind.ADDRESS_GAP])
def test_p7_the_doctored_records_of_a_real_crawl_are_found_out(real: Path, tmp_path: Path, kind: Kind) -> None:
    """One request is moved to an earlier time, or next to one of the other host."""
    (tmp_path / "log").mkdir()
    for file in real.glob("log/*"):
        (tmp_path / "log" / file.name).write_bytes(file.read_bytes())
    file = tmp_path / "log" / "attempts-00000001"
    records = [bytearray(file.read_bytes()[at : at + 64]) for at in range(0, file.stat().st_size, 64)]
    starts = [data for data in records if not data[1]]
    last = starts[-1]
    same = [data for data in starts if data[48:56] == last[48:56]]
    ends = [data for data in records if data[1] and data[48:56] == last[48:56]]
    before_end, before_start = _time(ends[-2]), _time(same[-2])
    moved = {
        Kind.PAUSE: before_end + 0.1,
        Kind.OVERLAP: (before_start + before_end) / 2,
        Kind.ADDRESS_GAP: _time(starts[-2]) + 0.01,
    }[kind]
    _set_time(last, moved)
    records.sort(key=_time)
    file.write_bytes(b"".join(records))
    assert kind in list_violations(audit_crawl(tmp_path)[0])


def test_p7_a_forbidden_request_added_to_a_real_crawl_is_found(real: Path, tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    for file in real.glob("log/*"):
        (tmp_path / "log" / file.name).write_bytes(file.read_bytes())
    at = audit_crawl(real)[0].last_at
    assert at is not None
    with (tmp_path / "log" / "attempts-00000001").open("ab") as attempts:
        attempts.write(record(at + 5, "http://a.test/private", ended=False))
        attempts.write(record(at + 6, "http://a.test/private", ended=True, status=200))
    assert list_violations(audit_crawl(tmp_path)[0]) == {Kind.FORBIDDEN}


def _time(data: bytes | bytearray) -> float:
    at: float = struct.unpack_from("<d", data, 8)[0]
    return at


def _set_time(data: bytearray, at: float) -> None:
    struct.pack_into("<d", data, 8, at)
    struct.pack_into("<I", data, 60, crc32(bytes(data[:60])))


# ---- the command ---------------------------------------------------------------------------------------


def test_p7_the_exit_status_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clean = plant_crawl(tmp_path / "clean", lambda crawl: None)
    guilty = plant_crawl(tmp_path / "guilty", PLANTS[1][1])
    assert main.run(["audit", str(clean)]) == 0
    assert "clean: no violation" in capsys.readouterr().out
    assert main.run(["audit", str(guilty)]) == 1
    shown = capsys.readouterr().out
    assert "waited 0.850 s of 1.000 s" in shown
    assert "VIOLATED: 1 violation" in shown
    assert main.run(["audit", str(tmp_path / "nowhere")]) == 2
    assert main.run(["audit", str(clean), "--html", str(tmp_path / "x.html")]) == 2


def test_p7_machines_get_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = plant_crawl(tmp_path, PLANTS[1][1])
    assert main.run(["audit", str(directory), "--json", "--site", "a.test"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["clean"], told["violations"]) == (False, 1)
    assert next(tally for tally in told["tallies"] if tally["violations"])["kind"] == "pause"
    assert told["site"]["requests"] == 5


def test_p7_the_owner_of_a_site_can_read_what_happened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = plant_crawl(tmp_path / "crawl", lambda crawl: crawl.tell(6.0, HostState("b.test", EPOCH, 0.0)))
    page = tmp_path / "site.html"
    assert main.run(["audit", str(directory), "--site", "A.test", "--html", str(page)]) == 0
    shown = capsys.readouterr().out
    for expected in ("Visits to a.test", "3, 1 robots, 2 page", "1.950 s at least", "2027-01-15", "3 × 200", "Hondius"):
        assert expected in shown
    text = page.read_text()
    for expected in ("<svg", "Disallow: /private", "Every request obeyed robots.txt", "<circle"):
        assert expected in text
    assert re.findall('http-equiv="([^"]*)"', text) == ["Content-Security-Policy"]
    assert "default-src 'none'" in text
    assert "src=" not in text


def test_p7_a_site_is_told_also_what_is_not_among_the_worst(tmp_path: Path) -> None:
    crawl = PlantedCrawl(tmp_path)
    polite(crawl)
    crawl.page(f"{A}/2", 10.0, not_before=10.5)
    crawl.page(f"{A}/3", 11.0)
    for number in range(9):
        crawl.robots(f"http://h{number}.test", 20.0 + number, address=f"127.0.1.{number}:80")
        crawl.page(f"http://h{number}.test/", 20.1 + number, address=f"127.0.1.{number}:80")
    report, site = audit_crawl(crawl.written(), "a.test")
    assert report.violations == 10
    assert site is not None
    assert [(case.kind, case.host) for case in site.violations] == [(Kind.PAUSE, "a.test")]


def test_q2_nothing_that_a_site_said_is_obeyed_by_the_page(tmp_path: Path) -> None:
    crawl = PlantedCrawl(tmp_path)
    crawl.robots(A, 1.0, "<script>alert(1)</script>\nUser-agent: *\nDisallow: /private\n")
    crawl.page(f"{A}/", 3.0)
    crawl.page(f"{A}/1", 5.0)
    _, site = audit_crawl(crawl.written(), "a.test", "<b>me</b>")
    assert site is not None
    page = render_page(site)
    assert "<script" not in page
    assert "<b>" not in page


def test_p7_a_site_that_was_never_contacted_is_told_so_and_not_praised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory, page = plant_crawl(tmp_path / "crawl", lambda crawl: None), tmp_path / "site.html"
    assert main.run(["audit", str(directory), "--site", "never.test", "--html", str(page)]) == 2
    output, errors = capsys.readouterr()
    assert (output, page.exists()) == ("", False)
    assert errors == "hondius: never.test was never contacted by this crawl\n"


def test_p7_visits_that_are_not_shown_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl = PlantedCrawl(tmp_path)
    polite(crawl)
    for number in range(20):
        crawl.page(f"{A}/{number + 2}", 10.0 + 2 * number)
    assert main.run(["audit", str(crawl.written()), "--site", "a.test"]) == 0
    shown = capsys.readouterr().out
    assert "23; the last 20 are shown, --json lists all" in shown
    assert shown.count("\n  visit ") == 20


def busy(crawl: PlantedCrawl) -> None:
    """Whatever frame is lost of it, something that excuses a request may be lost with it."""
    crawl.tell(10.0, HostOrder("a.test", EPOCH + 10.0, paused_until=EPOCH + 1_000.0, delay=50.0))
    crawl.tell(20.0, HostOrder("a.test", EPOCH + 20.0))
    crawl.page(f"{A}/2", 30.0, status=503, not_before=31.2)
    crawl.page(f"{A}/3", 31.3)
    crawl.robots(A, 40.0, "User-agent: *\nAllow: /private\nCrawl-delay: 5\n")
    crawl.page(f"{A}/private", 46.0)
    crawl.run(50.0, RULES | {"delay": 0.5})
    crawl.robots(A, 60.0, "User-agent: *\n")
    crawl.page(f"{A}/private/2", 61.0, not_before=61.55)
    crawl.page(f"{A}/4", 61.6)


def lose_frame(directory: Path, number: int) -> None:
    """As a disk does, and `hondius rebuild --salvage` after it."""
    file = next((directory / "log").glob("*.log"))
    data = bytearray(file.read_bytes())
    frames = list(split([bytes(data[HEADER_SIZE:])], HEADER_SIZE))
    data[frames[number].end - 1] ^= 0xFF
    file.write_bytes(data)
    (gap,) = salvage_log(directory, Settings())
    assert (gap.first, gap.last) == (number + 1, number + 1)


@pytest.mark.parametrize("number", range(13))
def test_p7_s10_what_a_lost_frame_could_excuse_is_not_held_against_the_crawl(tmp_path: Path, number: int) -> None:
    crawl = PlantedCrawl(tmp_path)
    polite(crawl)
    busy(crawl)
    directory = crawl.written()
    assert audit_crawl(directory)[0].clean
    lose_frame(directory, number)
    report, _ = audit_crawl(directory)
    assert list_violations(report) == set()
    assert report.notes[0].startswith("1 frame of the log was lost")


def test_p7_s10_only_what_the_lost_frame_could_tell_is_not_judged(tmp_path: Path) -> None:
    """The first robots.txt is lost; what came after the second one is judged by that, and overlaps by the records."""

    def plant(crawl: PlantedCrawl) -> None:
        crawl.robots(A, 100.0, "User-agent: *\nDisallow: /private\n")
        crawl.page(f"{A}/private", 110.0, took=3.0)
        crawl.request(f"{A}/meanwhile", 111.0)

    directory = plant_crawl(tmp_path, plant)
    lose_frame(directory, 1)
    report, _ = audit_crawl(directory)
    assert list_violations(report) == {Kind.FORBIDDEN, Kind.OVERLAP}
    assert report.undecided == 2
    assert "Not judged for that: 2 checks" in report.notes[0]


def test_p7_a_missing_record_of_requests_is_told_before_anything_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = plant_crawl(tmp_path, lambda crawl: None)
    (directory / "log" / "attempts-00000001").unlink()
    assert main.run(["audit", str(directory)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert "THE RECORD OF REQUESTS IS INCOMPLETE: a file is missing" in said[1]
