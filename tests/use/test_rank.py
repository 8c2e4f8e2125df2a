"""`hondius rank` and `crawl.rank()`: the importance of pages and hosts, from the stored links (S8)."""

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import hondius
from hondius.model import Finished, Reprioritised
from hondius.native import Identity, NativeError, Ranks
from hondius.opening import open_crawl
from hondius.operate.cli import main
from hondius.use.rank import CrawlRanking, open_stored, rank_crawl
from hondius.use.rank.stored import FILE
from tests.journeys.scripted_site import Answer, Script
from tests.python.sites import make_page
from tests.use.worlds import DIRECTORY, WORLDS, crawl_in_process, new_place

NOFOLLOW = '<a rel=nofollow href="/advert">x</a>'
SITE: Script = {
    "a.test/": make_page("start", "/one", "/two", "/old", "http://b.test/"),
    "a.test/one": make_page("one", "/", "/two", "/two", "/one"),
    "a.test/two": Answer(
        f'<title>two</title>{NOFOLLOW}<a href="http://b.test/">b</a><a href="http://far.test/x">x</a>'
    ),
    "a.test/old": Answer.redirect("http://a.test/new"),
    "a.test/new": make_page("new", "/"),
    "b.test/": make_page("other host", "http://a.test/", "http://far.test/x"),
}
EDGES = {
    ("http://a.test/", "http://a.test/one"),
    ("http://a.test/", "http://a.test/two"),
    ("http://a.test/", "http://a.test/old"),
    ("http://a.test/", "http://b.test/"),
    ("http://a.test/one", "http://a.test/"),
    ("http://a.test/one", "http://a.test/two"),
    ("http://a.test/two", "http://b.test/"),
    ("http://a.test/two", "http://far.test/x"),
    ("http://a.test/old", "http://a.test/new"),
    ("http://a.test/new", "http://a.test/"),
    ("http://b.test/", "http://a.test/"),
    ("http://b.test/", "http://far.test/x"),
}
HOST_EDGES = {("a.test", "b.test"), ("a.test", "far.test"), ("b.test", "a.test"), ("b.test", "far.test")}


def compute_ranks(edges: set[tuple[str, str]]) -> dict[str, float]:
    """PageRank by its definition."""
    nodes = {node for edge in edges for node in edge}
    targets: dict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        targets[source].append(target)
    ranks = dict.fromkeys(nodes, 1 / len(nodes))
    for _ in range(200):
        dangling = sum(ranks[node] for node in nodes if not targets[node])
        following = dict.fromkeys(nodes, (0.15 + 0.85 * dangling) / len(nodes))
        for source, target in edges:
            following[target] += 0.85 * ranks[source] / len(targets[source])
        ranks = following
    return ranks


@pytest.fixture(scope="module", params=WORLDS)
def crawled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with new_place(request.param, tmp_path_factory.mktemp("ranked")) as name:
        crawl_in_process(name, SITE, "--include", "//[ab]\\.test", "--scope", "any", "--set", "scope.sitemaps=false")
        yield name


@pytest.fixture(scope="module")
def ranking(crawled: Path) -> CrawlRanking:
    with open_crawl(crawled) as crawl:
        return rank_crawl(crawl)


def test_s8_ranks_of_pages_are_those_of_the_definition(ranking: CrawlRanking) -> None:
    assert {page.url: page.rank for page in ranking.top_pages} == pytest.approx(compute_ranks(EDGES), abs=1e-8)
    assert (ranking.pages, ranking.links, ranking.unread) == (7, len(EDGES), 0)
    ranks = [page.rank for page in ranking.top_pages]
    assert ranks == sorted(ranks, reverse=True)


def test_s8_ranks_of_hosts_are_those_of_the_links_between_them(ranking: CrawlRanking) -> None:
    assert {host.host: host.rank for host in ranking.top_hosts} == pytest.approx(compute_ranks(HOST_EDGES), abs=1e-8)
    assert (ranking.hosts, ranking.host_links) == (3, len(HOST_EDGES))


def test_s8_pages_that_are_only_named_have_ranks_and_urls(ranking: CrawlRanking) -> None:
    states = {page.url: page.state for page in ranking.top_pages}
    assert states["http://far.test/x"] in ("", "refused")
    assert states["http://a.test/old"] == "redirected"
    assert states["http://a.test/one"] == "completed"


def test_s8_percentiles_are_shares_of_pages_below(ranking: CrawlRanking) -> None:
    percentiles = [page.percentile for page in ranking.top_pages]
    assert percentiles == sorted(percentiles, reverse=True)
    assert percentiles[0] == pytest.approx(6.5 / 7, abs=1e-4)


def test_s8_ranks_are_stored_with_the_position_that_they_belong_to(crawled: Path, ranking: CrawlRanking) -> None:
    with open_crawl(crawled) as crawl:
        stored = open_stored(crawl)
        assert stored is not None
        inode = (crawl.place.directory / FILE).stat().st_ino
        assert rank_crawl(crawl) == ranking
        assert (crawl.place.directory / FILE).stat().st_ino == inode, "nothing is computed twice"
        assert not list(crawl.place.directory.glob("*.new"))


def test_s8_a_damaged_file_of_ranks_is_replaced(crawled: Path, ranking: CrawlRanking) -> None:
    with open_crawl(crawled) as crawl:
        path = crawl.place.directory / FILE
        path.write_bytes(path.read_bytes()[:-1])
        assert open_stored(crawl) is None
        assert rank_crawl(crawl) == ranking
        assert open_stored(crawl) is not None


def test_s8_ranks_of_another_crawl_are_not_used(crawled: Path, ranking: CrawlRanking, tmp_path: Path) -> None:
    with new_place(DIRECTORY, tmp_path) as other, open_crawl(crawled) as crawl:
        crawl_in_process(other, {"/": make_page("another")})
        shutil.copyfile(crawl.place.directory / FILE, other / FILE)
        with open_crawl(other) as copied:
            assert open_stored(copied) is None
            assert rank_crawl(copied).pages == 1


def test_s8_the_command_lists_pages_and_hosts(
    crawled: Path, ranking: CrawlRanking, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["rank", str(crawled), "--top", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{crawled}: 7 pages, 12 links, 3 hosts")
    assert [line.split()[2] for line in lines[2:]] == [page.url for page in ranking.top_pages[:2]]
    assert main.run(["rank", str(crawled), "--hosts"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[2] for line in lines[2:]] == [host.host for host in ranking.top_hosts]
    assert main.run(["rank", str(crawled), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["top_pages"][0]["url"] == ranking.top_pages[0].url


def test_s8_ranks_are_columns_of_exports(
    crawled: Path, ranking: CrawlRanking, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = "url,rank,rank_percentile"
    assert main.run(["export", str(crawled), "--columns", columns, "--state", "completed"]) == 0
    rows = {row["url"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    wanted = {page.url: page for page in ranking.top_pages if page.state == "completed"}
    assert {url: (row["rank"], row["rank_percentile"]) for url, row in rows.items()} == {
        url: (page.rank, page.percentile) for url, page in wanted.items()
    }


@pytest.mark.parametrize("world", WORLDS)
def test_f2_queued_urls_move_while_the_crawl_runs(world: str, tmp_path: Path) -> None:
    hosts = [f"http://{letter}.test/" for letter in "abcdefgh"]
    site: Script = {"/": make_page("start", *(f"/{number}" for number in range(20)), *hosts)}
    site |= {f"/{number}": make_page(f"page {number}", f"/{number}/x", "/19") for number in range(20)}
    with new_place(world, tmp_path) as name:
        crawl_in_process(name, site, "--scope", "any", "--set", "rank.every=5", "--set", "scope.sitemaps=false")
        with open_crawl(name) as crawl:
            events = [event for frame in crawl.log.read() for event in frame.events]
            ended = [event.key for event in events if type(event) is Finished]
            assert len(ended) == len(set(ended)) == 8 * 41
            assert any(type(event) is Reprioritised for event in events)


def test_o5_explain_tells_the_rank(crawled: Path, ranking: CrawlRanking, capsys: pytest.CaptureFixture[str]) -> None:
    top = ranking.top_pages[0]
    assert main.run(["explain", str(crawled), top.url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["queue"]["rank"] == top.rank
    assert main.run(["explain", str(crawled), top.url]) == 0
    assert "page rank" in capsys.readouterr().out


def test_s8_a_program_gets_the_same(crawled: Path, ranking: CrawlRanking) -> None:
    with hondius.open(crawled) as crawl:
        assert crawl.rank() == ranking
        assert len(crawl.rank(most=1).top_pages) == 1


def test_s8_a_crawl_that_cannot_be_written_is_ranked_for_this_call(
    crawled: Path, ranking: CrawlRanking, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_crawl(crawled) as crawl:
        (crawl.place.directory / FILE).unlink()
        monkeypatch.setattr(type(crawl.place), "is_writable", property(lambda place: False))
        assert rank_crawl(crawl) == ranking
        assert open_stored(crawl) is None
        monkeypatch.undo()
        rank_crawl(crawl)


def test_s8_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"HONDRANK" + bytes(1_000))
    with pytest.raises(NativeError) as refused:
        Ranks.open(str(tmp_path / FILE))
    assert refused.value.kind == "corrupt"
    (tmp_path / "link").symlink_to(tmp_path / FILE)
    with pytest.raises(NativeError):
        Ranks.open(str(tmp_path / "link"))


def test_s8_keys_are_those_of_the_crawl(crawled: Path, ranking: CrawlRanking) -> None:
    with open_crawl(crawled) as crawl:
        stored = open_stored(crawl)
        assert stored is not None
        found = stored.page(Identity().parse(ranking.top_pages[0].url).key)
        assert found == (ranking.top_pages[0].rank, ranking.top_pages[0].percentile)
