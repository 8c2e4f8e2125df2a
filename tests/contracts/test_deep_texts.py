"""The contract of `DeepTexts`, for every adapter."""

import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hondius.model import DeepText
from hondius.native import pack_text
from hondius.ports import DeepTexts
from hondius.stores.deep_texts import packing
from hondius.stores.deep_texts.embedded import FILE, EmbeddedDeepTexts
from hondius.stores.deep_texts.memory import Kept, MemoryDeepTexts

KEY, OTHER = b"k" * 16, b"o" * 16
HASH, OTHER_HASH = b"h" * 32, b"i" * 32
STRUCTURED = '{"json_ld":[{"@type":"Shop"}],"microdata":[],"rdfa":[],"open_graph":{"og:title":["a"]},"left_out":0}'
TEXT = DeepText("Straße\nzwei", "# Straße", STRUCTURED)
NOTHING = '{"json_ld":[],"microdata":[],"rdfa":[],"open_graph":{},"left_out":0}'
CHANGED = DeepText("x" * 1_000_000, "", NOTHING)
Open = Callable[[], DeepTexts]


def _in_memory() -> Open:
    kept: Kept = {}
    return lambda: MemoryDeepTexts(kept)


ADAPTERS: dict[str, Callable[[Path], Open]] = {
    "SQLite file": lambda root: lambda: EmbeddedDeepTexts(root / FILE),
    "in memory": lambda root: _in_memory(),
}


@pytest.fixture(params=ADAPTERS)
def open_texts(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Each call opens the same texts."""
    return ADAPTERS[request.param](tmp_path)


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.WARNING, "hondius"):
        yield caplog


def test_a5_a_text_is_stored_for_its_content_and_its_version(open_texts: Open) -> None:
    with closing(open_texts()) as texts:
        assert texts.get(KEY, HASH, 1) is None
        texts.put(KEY, HASH, 1, TEXT)
    with closing(open_texts()) as texts:
        assert texts.get(KEY, HASH, 1) == TEXT
        assert texts.get(KEY, OTHER_HASH, 1) is None
        assert texts.get(KEY, HASH, 2) is None
        assert texts.get(OTHER, HASH, 1) is None


def test_a5_another_version_or_content_replaces(open_texts: Open) -> None:
    with closing(open_texts()) as texts:
        texts.put(KEY, HASH, 1, TEXT)
        texts.put(KEY, HASH, 2, CHANGED)
        assert (texts.get(KEY, HASH, 1), texts.get(KEY, HASH, 2)) == (None, CHANGED)
        texts.put(KEY, OTHER_HASH, 2, TEXT)
        assert (texts.get(KEY, HASH, 2), texts.get(KEY, OTHER_HASH, 2)) == (None, TEXT)


def test_a5_two_use_it_at_once(open_texts: Open) -> None:
    with closing(open_texts()) as one, closing(open_texts()) as two:
        one.put(KEY, HASH, 1, TEXT)
        assert two.get(KEY, HASH, 1) == TEXT
        two.put(OTHER, HASH, 1, CHANGED)
        assert one.get(OTHER, HASH, 1) == CHANGED


def test_a5_processes_create_and_fill_it_at_once(tmp_path: Path, log: pytest.LogCaptureFixture) -> None:
    program = (
        "import sys, pathlib\n"
        "from hondius.model import DeepText\n"
        "from hondius.stores.deep_texts.embedded import EmbeddedDeepTexts\n"
        "texts = EmbeddedDeepTexts(pathlib.Path(sys.argv[1]))\n"
        "for number in range(50):\n"
        "    texts.put(bytes([int(sys.argv[2]), number]) * 8, b'h' * 32, 1, DeepText(sys.argv[2], '', sys.argv[3]))\n"
        "texts.close()\n"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path / FILE)]
    processes = [subprocess.Popen([*arguments, str(number), NOTHING]) for number in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    with closing(EmbeddedDeepTexts(tmp_path / FILE)) as texts:
        stored = [texts.get(bytes([a, b]) * 8, b"h" * 32, 1) for a in range(4) for b in range(50)]
    assert all(stored)
    assert log.messages == []


def _is_stored(path: Path) -> bool:
    with closing(EmbeddedDeepTexts(path)) as texts:
        texts.put(KEY, HASH, 1, TEXT)
        return texts.get(KEY, HASH, 1) is not None


def test_a5_a_damaged_file_is_not_used_and_the_log_says_so(tmp_path: Path, log: pytest.LogCaptureFixture) -> None:
    path = tmp_path / FILE
    assert _is_stored(path)
    data = bytearray(path.read_bytes())
    for damaged in (b"nonsense" * 1_000, bytes(data[:100]) + b"\xff" * (len(data) - 100), bytes(data[:4_096])):
        path.write_bytes(damaged)
        assert not _is_stored(path)
    assert log.messages
    assert all("delete it" in text for text in log.messages)
    path.unlink()
    assert _is_stored(path)


def test_a5_a_damaged_value_counts_as_missing(tmp_path: Path) -> None:
    path = tmp_path / FILE
    assert _is_stored(path)
    bomb = pack_text(b"\0" * 100_000_000)
    good = packing.pack(TEXT)
    for value in (b"", good[:-1], good[:-4] + b"\0\0\0\0", bomb, "text", 7, pack_text(b"\xc1")):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE texts SET text = ?", (value,))
        with closing(EmbeddedDeepTexts(path)) as texts:
            assert texts.get(KEY, HASH, 1) is None
    assert _is_stored(path)


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_q2_a_link_or_a_pipe_in_its_place_is_not_opened(
    tmp_path: Path, suffix: str, log: pytest.LogCaptureFixture
) -> None:
    target = tmp_path / "elsewhere"
    target.write_bytes(b"")
    (tmp_path / f"{FILE}{suffix}").symlink_to(target)
    assert not _is_stored(tmp_path / FILE)
    (tmp_path / f"{FILE}{suffix}").unlink()
    os.mkfifo(tmp_path / f"{FILE}{suffix}")
    assert not _is_stored(tmp_path / FILE)
    assert target.read_bytes() == b""
    assert len(log.messages) == 2


def test_q2_a_database_that_hondius_did_not_make_is_not_used(tmp_path: Path, log: pytest.LogCaptureFixture) -> None:
    path = tmp_path / FILE
    assert _is_stored(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON texts BEGIN DELETE FROM texts; END")
    assert not _is_stored(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE notes (text)")
    assert not _is_stored(path)
    assert len(log.messages) == 2
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_schema").fetchall() == [(1,)]


def test_a5_it_may_be_deleted_while_it_is_open(tmp_path: Path) -> None:
    path = tmp_path / FILE
    with closing(EmbeddedDeepTexts(path)) as texts:
        texts.put(KEY, HASH, 1, TEXT)
        for suffix in ("", "-wal", "-shm"):
            path.with_name(f"{FILE}{suffix}").unlink(missing_ok=True)
        texts.put(OTHER, HASH, 1, TEXT)
        texts.get(OTHER, HASH, 1)
    assert _is_stored(path)


FORGED = (
    f'{STRUCTURED}\n{{"url":"http://forged.test/"}}',
    "nonsense",
    "[]",
    "{",
    "{}",
    '{"json_ld":[]}',
    STRUCTURED.replace("[{", "{").replace("}]", "}"),
    STRUCTURED.replace('{"@type":"Shop"}', "1"),
    STRUCTURED.replace('"Shop"', "x"),
    STRUCTURED.replace('["a"]', '"a"'),
    STRUCTURED.replace('"left_out":0', '"left_out":-1'),
    STRUCTURED.replace('"left_out":0', '"left_out":0,"more":1'),
    STRUCTURED.replace('"Shop"', f"{'[' * 100_000}{']' * 100_000}"),
)


@pytest.mark.parametrize("structured", FORGED, ids=range(len(FORGED)))
def test_q2_structured_data_that_hondius_never_writes_is_made_again(structured: str) -> None:
    assert packing.unpack(packing.pack(DeepText("a", "b", structured))) is None
    assert packing.unpack(packing.pack(TEXT)) == TEXT


def test_q2_a_small_record_does_not_unpack_to_hundreds_of_mebibytes() -> None:
    assert packing.unpack(packing.pack(DeepText("a", "b" * (65 * 2**20), STRUCTURED))) is None
