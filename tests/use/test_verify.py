"""S10: all against all; whatever was changed is found, and what to do is said."""

import re
import shlex
import shutil
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from hondius.crawler.idle_crawl import record_events
from hondius.errors import DiskFull
from hondius.model import AnyEvent, Discovered, Finished, PageFilter, RecrawlOrder, State
from hondius.native import Identity, UrlStore
from hondius.opening import place_of
from hondius.operate.cli import main
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.log.embedded import EmbeddedLog
from hondius.use.rebuild import rebuild_views
from hondius.use.verify import Report, verify_crawl
from tests.use.small_crawl import ANSWERS, QUEUED, SETTINGS


def run_verify(crawl: Path) -> Report:
    before = {path.name for path in crawl.iterdir()} - {"crawl.db-wal", "crawl.db-shm"}
    report = verify_crawl(crawl, SETTINGS)
    assert {path.name for path in crawl.iterdir()} - {"crawl.db-wal", "crawl.db-shm"} == before
    return report


def text_of(report: Report) -> str:
    return "\n".join(report.format_lines())


def tamper(crawl: Path, statement: str) -> None:
    connection = apsw.Connection(str(crawl / "crawl.db"))
    connection.execute(statement)
    connection.close()


def warc(crawl: Path) -> Path:
    (file,) = (crawl / "warc").glob("*.warc.gz")
    return file


def test_s10_one_damaged_record_hides_no_other(crawl: Path) -> None:
    with closing(EmbeddedCatalog.open(crawl / "crawl.db", read_only=True)) as catalog:
        places = [(offset, length) for offset, length, _ in catalog.list_fetch_locations(warc(crawl).name)]
    assert len(places) > 2
    offset, length = places[1]
    data = bytearray(warc(crawl).read_bytes())
    data[offset + 20 : offset + length - 20] = bytes(length - 40)
    warc(crawl).write_bytes(data)
    report = text_of(run_verify(crawl))
    assert f"from byte {offset:,} to {places[2][0]:,}" in report
    assert report.count("nothing starts at") == 1


def test_s10_an_index_that_tells_something_else_is_found_and_made_anew_once_it_is_gone(crawl: Path) -> None:
    index = warc(crawl).with_name(warc(crawl).name.replace(".warc.gz", ".cdxj"))
    whole = index.read_text()
    index.write_text("junk\n")
    report = text_of(run_verify(crawl))
    assert "does not match the file" in report
    assert f"warc/{index.name}" in report
    index.unlink()
    record_events(place_of(crawl), SETTINGS, [RecrawlOrder(("http://a.test/",))])
    assert index.read_text() == whole


def test_s10_an_index_with_the_keys_of_an_earlier_version_is_a_note_and_no_problem(crawl: Path) -> None:
    index = warc(crawl).with_name(warc(crawl).name.replace(".warc.gz", ".cdxj"))
    lines = index.read_text().splitlines()
    index.write_text("".join(sorted(f"old,{line}\n" for line in lines)))
    report = run_verify(crawl)
    assert report.clean, text_of(report)
    assert any("earlier version" in note and index.name in note for note in report.notes)
    index.write_text("".join(sorted(f"old,{line}\n" for line in lines[1:])))
    assert "does not match the file" in text_of(run_verify(crawl))


def test_r4_a_url_that_is_wanted_again_is_queued_and_no_problem(crawl: Path) -> None:
    """It has ended once; until it is fetched anew the store must know it as queued, not as finished."""
    with closing(EmbeddedCatalog.open(crawl / "crawl.db", read_only=True)) as catalog:
        href = next(page["url"] for page in catalog.pages(PageFilter(states=("completed",))))
    assert record_events(place_of(crawl), SETTINGS, [RecrawlOrder((href,))]) == 1
    report = run_verify(crawl)
    assert report.clean, text_of(report)


@pytest.mark.parametrize("host", ["a.test", "stranger.test"])
def test_f6_a_refused_url_that_its_own_host_names_since_is_queued_and_no_problem(crawl: Path, host: str) -> None:
    """It has ended; where only other hosts had named it, it waits again."""
    url = Identity().parse("http://a.test/item/9")
    refused = Finished(url.key, url.href, url.key_form, url.host, State.REFUSED, "no_novelty", source=b"s" * 16)
    events: list[list[AnyEvent]] = []
    with closing(UrlStore(":memory:")) as urls:
        for sequence, on in enumerate(("stranger.test", host), start=1):
            found = urls.admit(
                [(url.href, url.key)],
                None,
                depth=1,
                priority=0.5,
                discovered_at=1.0,
                max_depth=None,
                via="link",
                source=b"s" * 16,
                found_on=on,
            )
            events.append([Discovered(found.data, found.count)] if found.count else [])
            urls.apply(2 * sequence - 1, [found.data], [])
            visit = (url.key, url.href, "no_novelty", None, False)
            urls.apply(2 * sequence, [], [(url.key, None)], [visit])
    assert [len(some) for some in events] == [1, int(host == "a.test")]
    with closing(EmbeddedLog(EmbeddedDisk(crawl))) as log:
        for some in (events[0], [refused], events[1]):
            log.append(some, 9.0)
    rebuild_views(crawl, SETTINGS)
    report = run_verify(crawl)
    assert report.clean, text_of(report)
    with closing(UrlStore(str(crawl / "urls"), capacity=10_000)) as urls:
        assert urls.state(url.key) == ("queued" if host == "a.test" else "finished")


def test_an_untouched_crawl_agrees_with_itself(crawl: Path) -> None:
    report = run_verify(crawl)
    assert report.clean, text_of(report)
    assert report.counts["frames"] == 2
    assert report.counts["URLs"] == len(ANSWERS) + len(QUEUED)
    assert report.counts["WARC records"] == 1 + 2 * len(ANSWERS)
    assert text_of(report).endswith("everything agrees")


def test_a_crawl_killed_before_its_first_frame_is_no_problem(tmp_path: Path) -> None:
    """F5"""
    assert verify_crawl(tmp_path, SETTINGS).clean


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE pages SET title = 'other' WHERE key = (SELECT min(key) FROM pages)",
        "DELETE FROM pages WHERE key = (SELECT max(key) FROM pages)",
        "UPDATE totals SET count = count + 1",
        "DELETE FROM fetches",
        "UPDATE hosts SET not_before = 0",
        "INSERT INTO scope VALUES ('http://b.test/', 9, 9)",
    ],
)
def test_a_catalog_that_differs_from_the_log_is_found_and_rebuild_mends_it(crawl: Path, statement: str) -> None:
    tamper(crawl, statement)
    report = run_verify(crawl)
    assert not report.clean
    assert f"Run `hondius rebuild '{crawl}'`" in text_of(report)
    rebuild_views(crawl, SETTINGS)
    assert run_verify(crawl).clean


def test_a_damaged_catalog_is_found(crawl: Path) -> None:
    (crawl / "crawl.db").write_bytes(b"something else" * 1000)
    report = run_verify(crawl)
    assert "crawl.db cannot be read" in text_of(report)
    assert report.counts["WARC files"] == 1, "the rest is checked all the same"


def test_a_catalog_that_lags_behind_is_no_problem(crawl: Path) -> None:
    log = EmbeddedLog(EmbeddedDisk(crawl))
    log.append([], 3.0)
    report = run_verify(crawl)
    assert report.clean, text_of(report)
    assert "crawl.db is 1 frame behind the log" in text_of(report)


def test_a_view_ahead_of_the_log_is_found(crawl: Path) -> None:
    tamper(crawl, "UPDATE meta SET value = 9 WHERE name = 'applied'")
    assert "crawl.db is ahead of the log" in text_of(run_verify(crawl))


@pytest.mark.parametrize("harm", ["cut", "changed"])
def test_what_is_advised_for_a_log_that_was_harmed_helps(
    crawl: Path, harm: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """S10: `rebuild` alone refuses such a log."""
    (segment,) = (crawl / "log").glob("*.log")
    data = bytearray(segment.read_bytes())
    data[40] ^= 0xFF
    segment.write_bytes(segment.read_bytes()[:-1] if harm == "cut" else data)
    told = text_of(run_verify(crawl))
    advised = re.findall(r"`hondius (.*?)`", told)
    assert set(advised) == {shlex.join(["rebuild", str(crawl), "--salvage"])}, told
    assert "next start cuts" not in told
    assert main.run(shlex.split(advised[0])) == 0
    capsys.readouterr()
    assert run_verify(crawl).clean


@pytest.mark.parametrize("position", [0.2, 0.5, 0.9])
def test_a_changed_byte_in_the_archive_is_found(crawl: Path, position: float) -> None:
    data = bytearray(warc(crawl).read_bytes())
    data[int(len(data) * position)] ^= 0xFF
    warc(crawl).write_bytes(data)
    report = run_verify(crawl)
    assert not report.clean
    assert "from a copy" in text_of(report)


def test_a_missing_or_short_file_of_the_archive_is_found(crawl: Path) -> None:
    data = warc(crawl).read_bytes()
    warc(crawl).write_bytes(data[:-10])
    assert "too short" in text_of(run_verify(crawl))
    warc(crawl).unlink()
    assert "a WARC file is missing" in text_of(run_verify(crawl))


def test_a_tail_that_was_never_committed_is_no_problem(crawl: Path) -> None:
    with open(warc(crawl), "ab") as file:
        file.write(b"half a record")
    report = run_verify(crawl)
    assert report.clean, text_of(report)
    assert "the next start cuts it off" in text_of(report)


def test_a_page_that_lies_elsewhere_is_found(crawl: Path) -> None:
    log = EmbeddedLog(EmbeddedDisk(crawl))
    file = warc(crawl).name
    url = "http://b.test/"
    log.append(
        [
            Finished(
                b"k" * 16,
                url,
                url,
                "b.test",
                State.COMPLETED,
                "",
                fetched_at=1.0,
                warc_file=file,
                warc_offset=3,
                warc_length=5,
            )
        ],
        3.0,
    )
    assert "nothing starts at 3" in text_of(run_verify(crawl))


def test_damage_to_the_log_is_told_and_ends_the_comparison(crawl: Path) -> None:
    (segment,) = (crawl / "log").glob("*.log")
    data = bytearray(segment.read_bytes())
    data[40] ^= 0xFF
    segment.write_bytes(data)
    report = run_verify(crawl)
    assert "the log cannot be read" in text_of(report)


@pytest.mark.parametrize("position", [0, 100, -60, -1])
def test_a_changed_byte_of_the_url_store_is_found_and_the_rest_is_checked(crawl: Path, position: int) -> None:
    """In a block, in the index or filter, in the footer."""
    (run,) = (crawl / "urls" / "runs").glob("*.run")
    data = bytearray(run.read_bytes())
    data[position] ^= 1
    run.write_bytes(data)
    report = run_verify(crawl)
    assert report.problems == 1
    assert f"urls/ is damaged: runs/{run.name}: " in text_of(report)
    assert f"Run `hondius rebuild '{crawl}'`, or continue the crawl" in text_of(report)
    assert "not checked: whether urls/ agrees with the log" in text_of(report)
    assert report.counts["WARC files"] == 1
    assert run.read_bytes() == data, "nothing is mended by a look"
    rebuild_views(crawl, SETTINGS)
    assert run_verify(crawl).clean


def test_all_damaged_runs_are_named_in_one_line(crawl: Path) -> None:
    urls = UrlStore(str(crawl / "urls"), capacity=10_000)
    urls.apply(3, [], [(b"k" * 16, None)])
    urls.close()
    runs = sorted((crawl / "urls" / "runs").glob("*.run"))
    assert len(runs) == 2
    for run in runs:
        run.write_bytes(run.read_bytes()[:-9])
    (told,) = [line for line in run_verify(crawl).format_lines() if line.startswith("problem: urls/ is damaged")]
    assert all(run.name in told for run in runs)


def test_what_the_system_does_not_let_be_read_is_named(crawl: Path) -> None:
    path = crawl / "urls" / "runs" / "runs"
    path.unlink()
    path.mkdir()
    assert f"urls/ cannot be read: {path}: " in text_of(run_verify(crawl))


def test_a_full_disk_is_not_said_to_hold_up_a_crawl(crawl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S5: it is the crawl that waits for room; a check ends."""

    def full(*_: object) -> None:
        raise apsw.FullError

    monkeypatch.setattr(EmbeddedCatalog, "_create", full)
    with pytest.raises(DiskFull, match="; make room") as raised:
        verify_crawl(crawl, SETTINGS)
    assert "by itself" not in str(raised.value)


def test_a_url_store_that_lost_a_url_is_found(crawl: Path) -> None:
    shutil.rmtree(crawl / "urls")
    assert "urls/ is missing" in text_of(run_verify(crawl))
    urls = UrlStore(str(crawl / "urls"), capacity=10_000)
    urls.belong_to(EmbeddedLog(EmbeddedDisk(crawl), read_only=True).identity)
    for sequence in (1, 2):
        urls.apply(sequence, [], [])
    urls.close()
    report = run_verify(crawl)
    assert "a URL is not finished in the URL store" in text_of(report)
    rebuild_views(crawl, SETTINGS)
    assert run_verify(crawl).clean


def test_p7_missing_and_damaged_records_of_requests_are_found(crawl: Path) -> None:
    file = crawl / "log" / "attempts-00000001"
    whole = file.read_bytes()
    file.write_bytes(whole[:70] + b"\xff\xff" + whole[72:])
    assert "the record of requests is incomplete: log/attempts-00000001, record 2" in text_of(run_verify(crawl))
    file.unlink()
    report = run_verify(crawl)
    assert not report.clean
    assert "the record of requests is incomplete: a file is missing" in text_of(report)


def test_p7_records_that_a_power_failure_took_are_worth_a_note(crawl: Path) -> None:
    file = crawl / "log" / "attempts-00000001"
    file.write_bytes(file.read_bytes()[:-256])
    report = run_verify(crawl)
    assert report.clean
    assert "have 3 requests, the log has 5 answers" in text_of(report)
