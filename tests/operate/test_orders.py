"""What is told of orders: by the one who takes them, and by `status` and `explain` while the crawl rests (O1, O5)."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from hondius.crawler.crawl_settings import write_settings
from hondius.errors import DiskFull
from hondius.model import FOREVER, HostOrder, RecrawlOrder
from hondius.opening import open_crawl, open_settings, place_of
from hondius.operate.cli import main
from hondius.stores.disk.simulated import SimulatedDisk
from hondius.stores.orders.files import OrderFiles
from tests.journeys.scripted_site import Answer, Script
from tests.use.worlds import DIRECTORY, WORLDS, crawl_in_process, new_place

SITE: Script = {"/": Answer.page("/1", "/2"), "/1": Answer.page(), "/2": Answer.page()}
HOST = "a.test"
Said = Callable[..., str]
in_a_directory = pytest.mark.parametrize("resting", [DIRECTORY], indirect=True)


@pytest.fixture(params=WORLDS)
def resting(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Path]:
    """Ended: three pages of one host, and nothing is queued."""
    with new_place(request.param, tmp_path) as name:
        crawl_in_process(name, SITE)
        assert json.loads(capsys.readouterr().out)["stop_reason"] == "done"
        yield name


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """What a command says; it must end with `status`."""

    def call(*arguments: object, status: int = 0) -> str:
        ended = main.run([str(argument) for argument in arguments])
        output, errors = capsys.readouterr()
        assert ended == status, errors
        return output if status == 0 else errors

    return call


def test_o1_status_tells_what_a_resting_crawl_was_told_since_it_wrote_its_queue_down(resting: Path, said: Said) -> None:
    assert "since then" not in said("status", resting)
    said("pause", resting, HOST)
    said("unpause", resting, HOST)
    said("recrawl", resting, "http://a.test/", "http://a.test/1")
    said("recrawl", resting, "http://a.test/2")
    assert "0 URLs queued again" in said("recrawl", resting, "http://a.test/2")
    told = said("status", resting)
    assert (
        f"since then: a.test was unpaused, 3 URLs were queued; `hondius resume {resting}` continues the crawl" in told
    )
    assert json.loads(said("status", resting, "--json"))["queue"]["queued_since"] == 3


def test_o1_status_tells_what_came_off_the_blacklist_since(resting: Path, said: Said) -> None:
    said("blacklist", resting, "b.test")
    assert "since then: b.test was put on the blacklist" in said("status", resting)
    said("blacklist", resting, "b.test", "--lift")
    assert "since then: b.test was taken off the blacklist" in said("status", resting)


@in_a_directory
def test_o1_the_blacklist_of_a_running_crawl_tells_what_is_not_in_force_yet(
    resting: Path, said: Said, capsys: pytest.CaptureFixture[str]
) -> None:
    with place_of(resting).lock():
        put = said("blacklist", resting, "b.test")
        assert "b.test: the order to put it on the blacklist was sent to the running crawl" in put
        assert main.run(["blacklist", str(resting)]) == 0
        assert "the order to put b.test on the list was sent, and is not in force yet" in capsys.readouterr().err
        lifted = said("blacklist", resting, "c.test", "--lift")
        assert "c.test: the order to take it off the blacklist was sent" in lifted
    assert lifted.count("was sent") == 1


@in_a_directory
def test_o1_the_paused_hosts_of_a_running_crawl_tell_what_is_not_in_force_yet(
    resting: Path, said: Said, capsys: pytest.CaptureFixture[str]
) -> None:
    with place_of(resting).lock():
        said("pause", resting, HOST)
        assert main.run(["pause", str(resting)]) == 0
        shown = capsys.readouterr().err
    assert f"the order for {HOST} (not contacted until it is unpaused) was sent, and is not in force yet" in shown
    assert "no host is paused" not in shown


@in_a_directory
def test_p7_a_site_that_was_never_contacted_is_told_who_of_its_domain_was(resting: Path, said: Said) -> None:
    told = said("audit", resting, "--site", "www.a.test", status=2)
    assert "www.a.test was never contacted by this crawl; of its domain it contacted a.test" in told


def test_p1_a_pause_says_that_a_crawl_of_paused_hosts_ends_and_how_it_goes_on(resting: Path, said: Said) -> None:
    told = said("pause", resting, HOST)
    assert "the crawl ends when only paused hosts are left" in told
    assert f"`hondius unpause {resting} a.test`, then `hondius resume {resting}` continue it" in told


@pytest.mark.parametrize("duration", ["999999999d", "0"])
def test_o1c_a_pause_without_an_end_in_sight_is_refused(resting: Path, said: Said, duration: str) -> None:
    assert "give up to 3650d" in said("pause", resting, HOST, "--for", duration, status=2)
    assert not said("pause", resting)


def test_p1_a_delay_below_that_of_the_crawl_is_told_which_one_holds(resting: Path, said: Said) -> None:
    assert "holds" not in said("pause", resting, HOST, "--delay", 0.1)
    settings = open_settings(resting)
    slow = msgspec.structs.replace(settings.politeness, delay=2.0)
    write_settings(place_of(resting), msgspec.structs.replace(settings, politeness=slow))
    assert "the crawl's own delay of 2.0 s is longer, so it applies" in said("pause", resting, HOST, "--delay", 0.1)


def test_o1_what_needs_no_lifting_is_told_so_and_nothing_is_written_down(resting: Path, said: Said) -> None:
    assert said("unpause", resting, HOST) == "a.test was neither paused nor slowed down\n"
    assert said("blacklist", resting, "b.test", "--lift") == f"b.test was not on the blacklist of {resting}\n"
    assert "since then" not in said("status", resting)


@pytest.mark.parametrize("domain", ["com", "co.uk"])
def test_o1_a_public_suffix_on_the_blacklist_is_called_one(resting: Path, said: Said, domain: str) -> None:
    assert f"{domain} and everything below it (a public suffix) is on" in said("blacklist", resting, f"{domain}/")
    assert "everything below" not in said("blacklist", resting, "127.0.0.1")


@in_a_directory
def test_o1_advice_is_given_once(resting: Path, said: Said, capsys: pytest.CaptureFixture[str]) -> None:
    (resting / "crawl.db").unlink()
    assert main.run(["verify", str(resting)]) == 1
    told = capsys.readouterr().out
    assert told.count("hondius rebuild") == 1
    assert told.endswith("1 problem\n")


@in_a_directory
@pytest.mark.parametrize("command", ["verify", "rebuild"])
def test_o1_what_needs_a_resting_crawl_says_so_while_it_runs(resting: Path, said: Said, command: str) -> None:
    with place_of(resting).lock():
        told = said(command, resting, status=2)
    assert "needs a crawl that is not running" in told
    assert "another directory" not in told


def test_o5_a_page_that_is_queued_again_is_told_so(resting: Path, said: Said) -> None:
    assert "it ended: completed, status 200\n" in said("explain", resting, "http://a.test/")
    said("recrawl", resting, "http://a.test/")
    assert "it ended: completed, status 200; it is queued again" in said("explain", resting, "http://a.test/")
    assert "again" not in said("explain", resting, "http://a.test/1").splitlines()[1]
    said("pause", resting, HOST)
    assert "it is queued again: its host is paused: by hand" in said("explain", resting, "http://a.test/")


def test_o5_where_the_url_store_is_shut_the_log_tells_that_a_page_is_queued_again(resting: Path, said: Said) -> None:
    said("recrawl", resting, "http://a.test/")
    with place_of(resting).lock():
        told = said("explain", resting, "http://a.test/")
        assert "it is queued again" in told
        assert "queued (according to the log)" in told
        assert "again" not in said("explain", resting, "http://a.test/1").splitlines()[1]


def test_o5_a_url_without_a_scheme_is_meant_as_a_seed_is(resting: Path, said: Said) -> None:
    told = said("explain", resting, "a.test/1")
    assert told.splitlines()[0] == "https://a.test/1"
    assert "write it like https://example.com/page" in said("explain", resting, "no url at all", status=2)


def test_o1_an_order_that_a_killed_run_did_not_get_to_is_older_than_the_next(resting: Path, said: Said) -> None:
    place_of(resting).orders().post([HostOrder(HOST, 1.0, FOREVER)], 1)
    assert "as the settings say" in said("unpause", resting, HOST)
    assert not place_of(resting).orders().has_any()
    with open_crawl(resting) as opened:
        orders = [(order.host, order.paused_until) for order in opened.catalog.host_orders()]
    assert orders in ([], [(HOST, None)])


def test_s5_orders_that_find_no_room_are_not_half_kept() -> None:
    disk = SimulatedDisk(room=100)
    with pytest.raises(DiskFull):
        OrderFiles(disk).post([HostOrder(HOST, 1.0, FOREVER), RecrawlOrder(("http://a.test/" + 100 * "x",))], 1)
    assert not OrderFiles(disk).has_any()
    assert disk.free_bytes() == 100


@in_a_directory
def test_o1_what_a_killed_command_left_of_an_order_is_no_order(resting: Path, said: Said) -> None:
    (resting / "control").mkdir(exist_ok=True)
    (resting / "control" / ".00000000000000000001.json.new").write_bytes(b'["host_order","a.te')
    assert "was neither paused nor slowed down" in said("unpause", resting, HOST)
