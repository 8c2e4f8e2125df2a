"""A crawl directory from a stranger: no command writes outside it, waits for ever, or takes all memory (Q2)."""

import os
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import msgspec
import pytest

from hondius.model import Archived
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.log.embedded import EmbeddedLog
from hondius.use.audit.records import Records
from tests.use.small_crawl import SmallCrawl

PRECIOUS = "precious data of the operator\n" * 100
PRECIOUS_NAMES = ("keep.json", "hondius-20300101000000-00001.warc.gz", "00000009.run", "lock")
SEGMENT = "log/00000000000000000001.log"
MEMORY = 3_000_000
"""KiB of address space: threads and maps take most of one gigabyte of it."""


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    (tmp_path / "victim.txt").write_text(PRECIOUS)
    return tmp_path / "victim.txt"


@pytest.fixture
def run(small_crawl: SmallCrawl, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs a command on a directory, with bounded memory and time."""

    def run(command: str, directory: Path, *more: str) -> subprocess.CompletedProcess[bytes]:
        options = {
            "explain": [small_crawl.page],
            "recrawl": [small_crawl.page],
            "resume": ["--max-time", "2s"],
            "export": ["--body", "-o", str(tmp_path / "exported")],
        }
        words = [sys.executable, "-m", "hondius", command, str(directory), *options.get(command, []), *more]
        bounded = ["bash", "-c", f'ulimit -v {MEMORY}; exec "$@"', "x", *words]
        return subprocess.run(bounded, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)

    return run


Run = Callable[..., subprocess.CompletedProcess[bytes]]


def link(path: Path, target: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize("command", ["explain", "verify", "recrawl", "resume"])
@pytest.mark.parametrize(
    "names",
    [
        ("lock",),
        ("urls/runs/lock",),
        (
            *("crawl.log", ".queue.json.new", ".hondius.toml.new", "queue.json", "hooks.json", "log/attempts-00000002"),
            *("urls/runs/runs.new", "urls/bloom.new", "urls/runs/00000001.run", "crawl.db.making", "crawl.db.new"),
        ),
        ("crawl.db", "crawl.db-wal"),
        ("warc/hondius-20300101000000-00002.warc.gz", "control/1.json", "log/00000000000000000099.log"),
    ],
    ids=lambda names: names[0].replace("/", "-"),
)
def test_q2_no_command_writes_through_a_link(
    crawl: Path, victim: Path, run: Run, names: tuple[str, ...], command: str
) -> None:
    for name in names:
        link(crawl / name, victim)
    ended = run(command, crawl)
    assert victim.read_text() == PRECIOUS
    assert b"precious" not in ended.stdout + ended.stderr
    assert b"internal error" not in ended.stderr


@pytest.mark.parametrize("name", ["log", "warc", "urls", "urls/runs", "control"])
def test_q2_a_directory_inside_a_crawl_is_not_reached_by_a_link(
    crawl: Path, tmp_path: Path, run: Run, name: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for precious in PRECIOUS_NAMES:
        (elsewhere / precious).write_text(PRECIOUS)
    link(crawl / name, elsewhere)
    for command in ("recrawl", "resume"):
        run(command, crawl)
    assert {path.name: path.read_text() for path in elsewhere.iterdir()} == dict.fromkeys(PRECIOUS_NAMES, PRECIOUS)


def test_s1_the_crawl_directory_itself_may_be_reached_by_a_link(crawl: Path, tmp_path: Path, run: Run) -> None:
    """Its user named it."""
    (tmp_path / "link").symlink_to(crawl)
    for command in ("status", "verify", "export", "rebuild", "recrawl", "resume"):
        assert run(command, tmp_path / "link").returncode == 0


def append_forged(segment: Path, sequence: int, event: Archived) -> None:
    """A frame that Hondius would not write, with a correct checksum."""
    content = struct.pack("<BQdQQ", 2, sequence, 3.0, 0, 0) + msgspec.msgpack.encode([event])
    with segment.open("ab") as file:
        file.write(struct.pack("<II", len(content), zlib.crc32(content)) + content)


@pytest.mark.parametrize("name", ["../../victim.txt", "{victim}", "x/../../../victim.txt"])
@pytest.mark.parametrize("place", ["catalog", "log"])
def test_q2_a_name_in_the_catalog_or_the_log_leads_nowhere(
    crawl: Path, victim: Path, run: Run, name: str, place: str
) -> None:
    name = name.format(victim=victim)
    if place == "catalog":
        with closing(apsw.Connection(str(crawl / "crawl.db"))) as catalog:
            catalog.execute("INSERT INTO archived VALUES (?, 5)", (name,))
            catalog.execute("UPDATE pages SET warc_file = ?", (name,))
    else:
        with closing(EmbeddedDisk(crawl)) as disk, closing(EmbeddedLog(disk)) as log:
            (last,) = log.newest(1)
        append_forged(crawl / SEGMENT, last.sequence + 1, Archived(name, 5))
        (crawl / "crawl.db").unlink()
    for command in ("export", "verify", "resume"):
        ended = run(command, crawl)
        assert victim.read_text() == PRECIOUS, command
        assert b"internal error" not in ended.stderr
    assert not victim.with_name("victim.txt.cdxj").exists()


@pytest.mark.parametrize(
    "name", ["lock", "queue.json", "crawl.log", "hondius.toml", "crawl.db", "crawl.db-wal", SEGMENT]
)
def test_q2_nobody_waits_at_a_pipe(crawl: Path, run: Run, name: str) -> None:
    (crawl / name).unlink(missing_ok=True)
    os.mkfifo(crawl / name)
    for command in ("status", "audit", "verify", "recrawl", "resume"):
        assert b"internal error" not in run(command, crawl).stderr


@pytest.mark.parametrize(
    "name", ["attempts-" + "9" * 60, "attempts-99999999", "9" * 200 + ".log", "9" * 20 + ".log", f"{2**52:020}.log"]
)
def test_q2_made_up_numbers_cost_neither_time_nor_memory(crawl: Path, run: Run, name: str) -> None:
    (crawl / "log" / name).write_bytes(b"x" * 64)
    for command in (["audit"], ["verify"], ["resume"], ["rebuild", "--salvage"]):
        assert b"internal error" not in run(command[0], crawl, *command[1:]).stderr


@pytest.mark.parametrize("length", [0xFFFF_FFF0, 500_000_000])
@pytest.mark.parametrize("is_compressed", [False, True])
def test_q2_a_frame_without_end_is_damage_and_is_found_at_once(
    crawl: Path, run: Run, length: int, is_compressed: bool
) -> None:
    data = (crawl / SEGMENT).read_bytes() + struct.pack("<II", length, 0)
    if is_compressed:
        (crawl / SEGMENT).unlink()
        press = zlib.compressobj(9, zlib.DEFLATED, 31)
        parts = [press.compress(data), *(press.compress(bytes(1 << 20)) for _ in range(600)), press.flush()]
        (crawl / f"{SEGMENT}.gz").write_bytes(b"".join(parts))
    else:
        (crawl / SEGMENT).write_bytes(data)
        os.truncate(crawl / SEGMENT, 2 << 30)
    for command in (["verify"], ["audit"], ["resume"], ["rebuild", "--salvage"], ["verify"]):
        ended = run(command[0], crawl, *command[1:])
        assert b"internal error" not in ended.stderr
        assert b"no more memory" not in ended.stderr


def test_q2_a_sparse_file_of_records_is_not_read_record_by_record(crawl: Path) -> None:
    os.truncate(crawl / "log/attempts-00000001", 1 << 30)
    with closing(EmbeddedDisk(crawl)) as disk:
        records = Records(disk)
        assert len(list(records)) == 10
    assert len(records.damaged) == 1_001
    assert records.damaged[-1] == "log/attempts-00000001, record 1,011 and all after it"


@pytest.mark.parametrize("table", ["pages", "meta", "archived"])
def test_q2_an_endless_view_in_place_of_a_table_is_noticed_and_the_catalog_rebuilt(
    crawl: Path, run: Run, table: str
) -> None:
    with closing(apsw.Connection(str(crawl / "crawl.db"))) as catalog:
        columns = [row[1] for row in catalog.execute(f"PRAGMA table_info({table})")]
        catalog.execute(f"DROP TABLE {table}")
        endless = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r)"
        catalog.execute(f"CREATE VIEW {table} AS {endless} SELECT {', '.join(f'x AS {c}' for c in columns)} FROM r")
    for command in ("status", "explain", "export"):
        run(command, crawl)
    assert run("resume", crawl).returncode == 0
    assert run("verify", crawl).returncode == 0


def test_q2_a_trigger_of_a_stranger_is_noticed(crawl: Path, run: Run) -> None:
    with closing(apsw.Connection(str(crawl / "crawl.db"))) as catalog:
        catalog.execute("CREATE TRIGGER strange AFTER INSERT ON fetches BEGIN DELETE FROM pages; END")
    assert b"tables that Hondius did not make" in run("status", crawl).stderr
    assert b"tables that Hondius did not make: it is rebuilt" in run("resume", crawl).stderr


def test_q2_a_made_up_frame_is_named_and_a_salvage_goes_on_without_it(crawl: Path, run: Run) -> None:
    content = struct.pack("<BQdQQ", 2, 3, 3.0, 0, 0) + b"\x91\x92\xa4host\x07"
    with (crawl / SEGMENT).open("ab") as segment:
        segment.write(struct.pack("<II", len(content), zlib.crc32(content)) + content)
    for command in ("verify", "audit", "rebuild", "resume"):
        ended = run(command, crawl)
        assert b"internal error" not in ended.stderr
        assert b"--salvage" in ended.stderr + ended.stdout, command
    for words in (["rebuild", "--salvage"], ["verify"], ["resume"]):
        ended = run(words[0], crawl, *words[1:])
        assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    ("change", "mended_by"),
    [("hosts SET not_before = 'soon'", "resume"), ("pages SET url = x'00ff'", "rebuild")],
)
def test_q2_a_value_of_a_wrong_type_in_the_catalog_has_it_rebuilt(
    crawl: Path, run: Run, change: str, mended_by: str
) -> None:
    """By `resume` as soon as it reads the value, and by `rebuild`, which the message of the others names."""
    with closing(apsw.Connection(str(crawl / "crawl.db"))) as catalog:
        catalog.execute(f"UPDATE {change}")
    for command in ("status", "explain"):
        assert b"internal error" not in run(command, crawl).stderr
    assert (b"hondius rebuild" in run("export", crawl).stderr) == (mended_by == "rebuild")
    assert run(mended_by, crawl).returncode == 0
    assert run("verify", crawl).returncode == 0


def test_q2_a_journal_beside_the_catalog_is_not_obeyed(crawl: Path, run: Run) -> None:
    (crawl / "crawl.db-journal").write_bytes(b"x" * 1024)
    assert b"has a journal beside it" in run("status", crawl).stderr
    assert run("resume", crawl).returncode == 0
    assert not (crawl / "crawl.db-journal").exists()


@pytest.mark.parametrize("text", [b"format = 1\n[" + b"a." * 200_000 + b"a]\n", b"format = 1\n#" + b"x" * (1 << 20)])
def test_q2_settings_have_a_largest_size(crawl: Path, run: Run, text: bytes) -> None:
    (crawl / "hondius.toml").write_bytes(text)
    ended = run("status", crawl)
    assert ended.returncode == 2
    assert b"larger than 128 KiB" in ended.stderr


def test_q2_settings_that_could_not_be_read_back_are_not_written(crawl: Path, run: Run) -> None:
    before = (crawl / "hondius.toml").read_bytes()
    patterns = [word for number in range(2_000) for word in ("--exclude", f"{number:05}" + "x" * 80)]
    ended = run("resume", crawl, *patterns)
    assert ended.returncode == 2
    assert b"the settings take more than 128 KiB" in ended.stderr
    assert (crawl / "hondius.toml").read_bytes() == before


def test_q2_files_that_settings_name_are_files(crawl: Path, run: Run) -> None:
    for setting in ("fetch.resolve=['@/dev/zero']", "fetch.ca_file='/dev/zero'"):
        ended = run("resume", crawl, "--set", setting)
        assert ended.returncode in (1, 2)
        assert b"regular file" in ended.stderr, setting


def test_q2_order_files_are_files(crawl: Path, victim: Path, run: Run) -> None:
    victim.write_bytes(msgspec.json.encode({"type": "Blacklisted"}))
    link(crawl / "control" / "1.json", victim)
    os.mkfifo(crawl / "control" / "2.json")
    assert run("resume", crawl).returncode == 0
    assert (crawl / "control" / "1.json").is_symlink()


def test_q2_notes_and_orders_that_are_nested_without_end_are_passed_over(crawl: Path, run: Run) -> None:
    (crawl / "control").mkdir(exist_ok=True)
    (crawl / "control" / "1.json").write_bytes(b"[" * 1_000_000)
    assert run("resume", crawl).returncode == 0
    assert not (crawl / "control" / "1.json").exists()
    (crawl / "queue.json").write_bytes(b'{"x":' + b"[" * 1_000_000)
    assert run("status", crawl).returncode == 0
