"""The SQLite file: a rebuilt one is the same, a damaged one raises advice, and it can be read while it is written."""

import subprocess
import sys
import weakref
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hondius.errors import BadDirectory, BrokenView, HondiusError
from hondius.model import (
    AnyEvent,
    Archived,
    Blacklisted,
    Failed,
    Finished,
    Frame,
    HostOrder,
    HostState,
    LeftOut,
    RefusedMore,
    RobotsCopy,
    RunEnded,
    RunStarted,
    ScopeExtended,
    SeedsTaken,
    State,
)
from hondius.stores.catalog import schema
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.stores.catalog.frame_rows import FrameRows

KEYS = st.sampled_from([bytes([n]) * 16 for n in range(5)])
CAUSES = st.sampled_from(["", "http_404", "timeout"])
EVENTS: st.SearchStrategy[AnyEvent] = st.one_of(
    st.builds(
        lambda key, state, cause, at, content: Finished(
            key,
            "http://a.test/",
            "http://a.test/",
            "a.test",
            state,
            cause,
            fetched_at=at,
            content_hash=content,
            wire_length=3,
        ),
        KEYS,
        st.sampled_from(State),
        CAUSES,
        st.none() | st.floats(0, 9),
        st.none() | st.sampled_from([b"1", b"2"]),
    ),
    st.builds(
        lambda key, cause, at: Failed(key, "http://a.test/", "a.test", cause, "", 1, at, at),
        KEYS,
        CAUSES,
        st.floats(0, 9),
    ),
    st.builds(lambda host, at: HostState(host, at, at), st.sampled_from("ab"), st.floats(0, 9)),
    st.builds(Archived, st.sampled_from("ab"), st.integers(0, 9)),
    st.builds(ScopeExtended, st.sampled_from("ab")),
    st.builds(
        SeedsTaken,
        st.floats(0, 9),
        st.sampled_from("ab"),
        st.integers(0, 9),
        st.booleans(),
        st.sampled_from(("", "a\nb")),
    ),
    st.builds(RunEnded, st.floats(0, 9), st.just("done")),
)


def rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, in the order of the file, with newly counted totals."""
    connection = apsw.Connection(str(path))
    tables = [
        name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    ]
    content = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables}
    content["counted"] = connection.execute("SELECT state, cause, count(*) FROM pages GROUP BY 1, 2").fetchall()
    connection.close()
    return content


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.lists(EVENTS, max_size=6), min_size=1, max_size=6))
def test_applying_all_frames_anew_gives_the_same_rows(
    batches: list[list[AnyEvent]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """S10: with any division into batches."""
    root = tmp_path_factory.mktemp("catalogs")
    frames = [
        Frame(1, 1.0, (RunStarted(1.0, "0"),)),
        *(Frame(n, 1.0, tuple(events)) for n, events in enumerate(batches, 2)),
    ]
    one_by_one, at_once = (EmbeddedCatalog.open(root / name) for name in ("one", "all"))
    for frame in frames:
        one_by_one.apply([frame])
    at_once.apply(frames)
    totals = at_once.totals()
    one_by_one.close()
    at_once.close()
    content = rows(root / "one")
    assert content == rows(root / "all")
    assert {(state, cause): n for state, cause, n in content["counted"]} == totals["causes"]
    assert totals["hosts"] == len(content["hosts"])
    assert totals["fetches"] == len(content["fetches"])


def test_a_damaged_file_says_how_to_make_it_anew(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    path.write_bytes(b"not a database at all, but long enough to look like one" * 100)
    with pytest.raises(BrokenView, match=f"run `hondius rebuild {tmp_path}`"):
        EmbeddedCatalog.open(path)


def test_a_page_of_the_file_that_was_overwritten_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    catalog = EmbeddedCatalog.open(path)
    url = "http://a.test/"
    catalog.apply(
        [Frame(1, 1.0, tuple(Finished(bytes([n]) * 16, url, url, "a", State.COMPLETED, "") for n in range(200)))]
    )
    catalog.close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(BrokenView, match="hondius rebuild"):
        list(EmbeddedCatalog.open(path, read_only=True).pages())


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    with pytest.raises(BrokenView, match="not a catalog"):
        EmbeddedCatalog.open(path)


def test_a_newer_format_asks_for_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    EmbeddedCatalog.open(path).close()
    other = apsw.Connection(str(path))
    other.execute("UPDATE meta SET value = 99 WHERE name = 'format'")
    other.close()
    with pytest.raises(BadDirectory, match=r"newer Hondius \(format 99\); upgrade"):
        EmbeddedCatalog.open(path)


def test_a_catalog_of_other_tables_is_made_anew_not_altered(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    EmbeddedCatalog.open(path).close()
    other = apsw.Connection(str(path))
    other.execute("UPDATE meta SET value = 7 WHERE name = 'schema'")
    other.close()
    with pytest.raises(BrokenView, match="made by another version; run `hondius rebuild"):
        EmbeddedCatalog.open(path)


def test_a_file_that_was_being_made_when_its_process_was_killed_is_made_again(tmp_path: Path) -> None:
    """F5: also if the write-ahead log of a removed database is left."""
    path = tmp_path / "crawl.db"
    catalog = EmbeddedCatalog.open(path)
    catalog.apply([Frame(1, 1.0, (HostState("a.test", 1.0, 1.0),))])
    stale = (tmp_path / "crawl.db-wal").read_bytes()
    catalog.close()
    path.unlink()
    (tmp_path / "crawl.db-wal").write_bytes(stale)
    (tmp_path / "crawl.db.making").write_bytes(b"half")
    again = EmbeddedCatalog.open(path)
    assert (again.applied, again.totals()["hosts"]) == (0, 0)
    again.close()
    assert [file.name for file in tmp_path.iterdir()] == ["crawl.db"]


def test_pages_of_many_links_are_found_without_looking_at_the_others(tmp_path: Path) -> None:
    EmbeddedCatalog.open(tmp_path / "crawl.db").close()
    connection = apsw.Connection(str(tmp_path / "crawl.db"))
    query = f"SELECT url FROM pages WHERE links > {schema.MANY_LINKS} AND links > ? LIMIT 3"
    plan = str(list(connection.execute(f"EXPLAIN QUERY PLAN {query}", (10_000,))))
    connection.close()
    assert "pages_of_many_links" in plan


def test_a_missing_file_is_not_made_by_a_reader(tmp_path: Path) -> None:
    with pytest.raises(BrokenView, match="missing"):
        EmbeddedCatalog.open(tmp_path / "crawl.db", read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_reader_refuses_to_apply(tmp_path: Path) -> None:
    EmbeddedCatalog.open(tmp_path / "crawl.db").close()
    with pytest.raises(HondiusError, match="opened for reading"):
        EmbeddedCatalog.open(tmp_path / "crawl.db", read_only=True).apply([Frame(1, 1.0, ())])


READ = """
import sys, pathlib
from hondius.stores.catalog.embedded import EmbeddedCatalog
catalog = EmbeddedCatalog.open(pathlib.Path(sys.argv[1]), read_only=True)
print(catalog.applied, catalog.totals()["states"], sum(1 for _ in catalog.pages()))
"""


def test_another_process_reads_while_this_one_writes(tmp_path: Path) -> None:
    path, url = tmp_path / "crawl.db", "http://a.test/"
    catalog = EmbeddedCatalog.open(path)
    catalog.apply(
        [Frame(1, 1.0, tuple(Finished(bytes([n]) * 16, url, url, "a", State.COMPLETED, "") for n in range(50)))]
    )
    said = subprocess.run([sys.executable, "-c", READ, path], check=True, capture_output=True, text=True).stdout
    assert said == "1 {'completed': 50} 50\n"
    catalog.apply([Frame(2, 1.0, ())])
    catalog.close()


APPLY_AND_DIE = """
import os, signal, sys, pathlib
from hondius.model import Frame, HostState
from hondius.stores.catalog.embedded import EmbeddedCatalog
catalog = EmbeddedCatalog.open(pathlib.Path(sys.argv[1]))
for sequence in range(1, 51):
    catalog.apply([Frame(sequence, 1.0, (HostState(f"{sequence}.test", 1.0, 1.0),))])
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_writer_leaves_a_catalog_that_goes_on(tmp_path: Path) -> None:
    """F5"""
    path = tmp_path / "crawl.db"
    subprocess.run([sys.executable, "-c", APPLY_AND_DIE, path], check=False)
    reader = EmbeddedCatalog.open(path, read_only=True)
    assert (reader.applied, reader.totals()["hosts"]) == (50, 50)
    reader.close()
    catalog = EmbeddedCatalog.open(path)
    catalog.apply([Frame(51, 1.0, ())])
    assert catalog.applied == 51
    catalog.close()


def test_the_rows_of_a_transaction_do_not_wait_for_the_garbage_collector() -> None:
    rows = FrameRows()
    rows.add(Frame(1, 1.0, (Archived("x.warc.gz", 7),)))
    left = weakref.ref(rows)
    del rows
    assert left() is None


KEY = b"k" * 16
ROWS: list[AnyEvent] = [
    RunStarted(1.0, "0"),
    Finished(KEY, "http://a.test/", "http://a.test/", "a.test", State.COMPLETED, "", links=3, links_file="x"),
    Failed(KEY, "http://a.test/", "a.test", "connect_failed", "", 1, 1.0, 2.0),
    HostState("a.test", 1.0, 2.0, crawl_delay=90.0),
    RobotsCopy("http://a.test", 1.0, "parsed", 200, 9.0, good_at=1.0),
    Blacklisted("b.test", "", 1.0),
    HostOrder("a.test", 1.0),
    ScopeExtended("http://a.test/"),
    LeftOut(KEY, 1),
    SeedsTaken(1.0, "seeds", 1, False, ""),
    RefusedMore("a.test", "shape", 3, 1.0),
    Archived("a.warc.gz", 5),
]
READS: dict[str, Callable[[EmbeddedCatalog], object]] = {
    "pages": lambda catalog: list(catalog.pages()),
    "fetches": lambda catalog: catalog.fetches(KEY),
    "hosts": lambda catalog: catalog.host("a.test"),
    "robots": lambda catalog: catalog.robots("http://a.test"),
    "retries": lambda catalog: catalog.retries(5),
    "blacklist": lambda catalog: catalog.blacklist_orders(),
    "host_orders": lambda catalog: catalog.host_orders(),
    "scope": lambda catalog: list(catalog.scope()),
    "left_out": lambda catalog: catalog.left_out(5),
    "seeds": lambda catalog: catalog.unfinished_seeds(),
    "archived": lambda catalog: catalog.archived(),
    "runs": lambda catalog: (catalog.runs(), catalog.last_run()),
    "refused_more": lambda catalog: catalog.refused_more("a.test"),
    "totals": lambda catalog: catalog.totals(),
    "links": lambda catalog: list(catalog.list_link_locations("x")),
    "delay": lambda catalog: catalog.longest_crawl_delay(),
}


@pytest.mark.parametrize(
    ("read", "change"),
    [
        ("pages", "pages SET url = x'00'"),
        ("pages", "pages SET title = NULL"),
        ("pages", "pages SET simhash = 'text'"),
        ("pages", "pages SET depth = -1"),
        ("pages", "pages SET depth = 1 << 40"),
        ("pages", "pages SET fetch_count = 'many'"),
        ("pages", "pages SET title = CAST(x'ff' AS TEXT)"),
        ("fetches", "fetches SET outcome = x'00'"),
        ("hosts", "hosts SET not_before = 'soon'"),
        ("hosts", "hosts SET not_before = 1e300"),
        ("hosts", "hosts SET fetched = NULL"),
        ("delay", "hosts SET crawl_delay = 'long'"),
        ("robots", "robots SET body = 'text'"),
        ("robots", "robots SET failures = 0.5"),
        ("retries", "retries SET count = x'00'"),
        ("blacklist", "blacklist SET lifted = 'no'"),
        ("host_orders", "host_orders SET delay = 'long'"),
        ("scope", "scope SET hrefs = x'00'"),
        ("left_out", "left_out SET depth = 'deep'"),
        ("seeds", "seeds SET taken = 'all'"),
        ("archived", "archived SET length = 'long'"),
        ("runs", "runs SET started_at = 'then'"),
        ("refused_more", "refused_more SET count = 'many'"),
        ("totals", "totals SET count = 'many'"),
        ("totals", "meta SET value = 'many' WHERE name = 'fetches'"),
        ("links", "pages SET links_offset = 'here'"),
    ],
)
def test_q2_a_value_that_hondius_never_writes_is_damage(tmp_path: Path, read: str, change: str) -> None:
    path = tmp_path / "crawl.db"
    with closing(EmbeddedCatalog.open(path)) as catalog:
        catalog.apply([Frame(1, 1.0, tuple(ROWS))])
        READS[read](catalog)
    with closing(apsw.Connection(str(path))) as stranger:
        stranger.execute(f"UPDATE {change}")
        assert stranger.changes()
    with closing(EmbeddedCatalog.open(path, read_only=True)) as catalog, pytest.raises(BrokenView, match="rebuild"):
        READS[read](catalog)


def test_q2_a_number_of_the_catalog_itself_that_is_none_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    EmbeddedCatalog.open(path).close()
    with closing(apsw.Connection(str(path))) as stranger:
        stranger.execute("UPDATE meta SET value = 'all' WHERE name = 'applied'")
    with pytest.raises(BrokenView, match="rebuild"):
        EmbeddedCatalog.open(path)
