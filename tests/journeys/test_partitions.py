"""A crawl directory whose log has several partitions (C1): crawled, verified, rebuilt, audited like any other."""

from contextlib import closing
from pathlib import Path

import pytest

from hondius.errors import BadDirectory, HondiusError
from hondius.model import Discovered, Finished
from hondius.native import decode_discoveries, partition_of
from hondius.opening import place_of
from hondius.settings import Settings
from hondius.stores.factory import EmbeddedPlace
from hondius.use.audit import audit_crawl
from hondius.use.rebuild import rebuild_views, salvage_log
from hondius.use.verify import verify_crawl
from tests.journeys.scripted_site import Answer, Script, scripted_site
from tests.journeys.test_internal_failures import crawl_with_bug, ends, over

PARTITIONS = 3
HOSTS = [f"s{number}.test" for number in range(9)]
WEB: Script = {
    "/": Answer.page("/1", *(f"http://{host}/2" for host in HOSTS)),
    "/1": Answer.page("/3"),
    "/2": Answer.page("/"),
    "/3": Answer.page(),
}


@pytest.fixture
async def directory(tmp_path: Path) -> Path:
    EmbeddedPlace(tmp_path, partitions=PARTITIONS).open_log().close()
    async with scripted_site(WEB) as site, crawl_with_bug(site, tmp_path, f"http://{HOSTS[0]}/") as crawl:
        assert await over(crawl) == "done"
        assert len(ends(crawl)) == 4 * len(HOSTS)
    return tmp_path


async def test_c1_each_url_lies_in_the_partition_of_its_domain(directory: Path) -> None:
    with closing(place_of(directory).open_log(read_only=True)) as log:
        assert log.partitions == PARTITIONS
        frames = list(log.read())
    assert {frame.partition for frame in frames} == set(range(PARTITIONS))
    for frame in frames:
        hosts = {event.host for event in frame.events if isinstance(event, Finished)}
        for event in frame.events:
            if isinstance(event, Discovered):
                hosts |= {url.href.split("/")[2] for url in decode_discoveries(event.data)}
        assert {partition_of(host, PARTITIONS) for host in hosts} <= {frame.partition}


async def test_s10_it_is_found_whole_rebuilt_and_goes_on(directory: Path) -> None:
    report = verify_crawl(directory, Settings())
    assert (report.problems, report.unchecked) == (0, [])
    assert report.counts["URLs"] == 4 * len(HOSTS)
    rebuilt = rebuild_views(directory, Settings())
    assert rebuilt.frames == report.counts["frames"]
    assert verify_crawl(directory, Settings()).problems == 0
    async with scripted_site(WEB) as site, crawl_with_bug(site, directory) as crawl:
        assert await over(crawl) == "done"
        assert len(ends(crawl)) == 4 * len(HOSTS)
        assert not site.paths()


async def test_p7_it_can_be_audited(directory: Path) -> None:
    report, _ = audit_crawl(directory)
    assert not any(tally.violations for tally in report.tallies)
    assert any(tally.checked for tally in report.tallies)


async def test_s10_a_store_that_is_damaged_is_found(directory: Path) -> None:
    for run in (directory / "urls" / "00002" / "runs").iterdir():
        if run.stat().st_size > 200:
            run.write_bytes(bytes(byte ^ 1 for byte in run.read_bytes()))
    assert verify_crawl(directory, Settings()).problems


async def test_s10_it_is_not_salvaged_as_if_it_had_one_partition(directory: Path) -> None:
    with pytest.raises(HondiusError, match="several partitions"):
        salvage_log(directory, Settings())


@pytest.mark.parametrize("text", ["", "1", "0", "257", "two", "99999999999"])
def test_s4_a_number_of_partitions_that_cannot_be_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "partitions").write_text(text)
    with pytest.raises(BadDirectory, match="from 2 to 256"):
        EmbeddedPlace(tmp_path).open_log()


def test_s1_a_log_of_one_partition_stays_one(tmp_path: Path) -> None:
    EmbeddedPlace(tmp_path).open_log().append((), 1.0)
    assert EmbeddedPlace(tmp_path, partitions=4).open_log().partitions == 1
    assert not (tmp_path / "partitions").exists()
