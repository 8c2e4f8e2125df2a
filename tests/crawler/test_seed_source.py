"""D1: what a seed file may look like, and how it comes slice by slice."""

import gzip
import os
from collections.abc import Sequence
from io import FileIO
from pathlib import Path

import pytest

from hondius.crawler.seeds import SeedSource, make_source, parse_arguments
from hondius.crawler.seeds.source import SLICE, read_slices
from hondius.errors import BadSeed
from hondius.native import Identity

IDENTITY = Identity()


def source_on(path: Path) -> SeedSource:
    files = [(path.name, FileIO(path, "rb"))]
    return SeedSource(path.name).read_from(lambda source: read_slices(source, (), files, IDENTITY))


def taken(source: SeedSource) -> list[tuple[str, float | None]]:
    seeds = []
    while (some := source.wait()) is not None:
        seeds += [(seed.url.href, seed.priority) for seed in some.seeds]
        source.take()
    return seeds


def hrefs(tmp_path: Path, content: bytes) -> list[str]:
    (tmp_path / "seeds").write_bytes(content)
    return [href for href, _ in taken(source_on(tmp_path / "seeds"))]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["# comment", "", "http://a.test/x,y"], ["http://a.test/x,y"]),
        (["1,a.test", "2,b.test"], ["https://a.test/", "https://b.test/"]),
        (['1,"a.test"', '"2","b.test"'], ["https://a.test/", "https://b.test/"]),
        (["rank,domain", "1,a.test"], ["https://a.test/"]),
        (['"Rank","Domain","Score"', '"1","a.test","9"'], ["https://a.test/"]),
        (["origin,rank", "https://a.test,1000"], ["https://a.test/"]),
        (["GlobalRank,TldRank,Domain", "1,7,a.test", "2"], ["https://a.test/"]),
        (["url", "http://a.test/"], ["http://a.test/"]),
        (['"http://a.test/"'], ["http://a.test/"]),
        (["\ufeffhttp://a.test/\r"], ["http://a.test/"]),
        (["http://a.test/", "x" * 200_000, "http://b.test/"], ["http://a.test/", "http://b.test/"]),
    ],
)
def test_d1_forms_of_a_seed_file(tmp_path: Path, lines: Sequence[str], expected: list[str]) -> None:
    content = "\n".join(lines).encode()
    assert hrefs(tmp_path, content) == expected
    assert hrefs(tmp_path, gzip.compress(content)) == expected


def test_d1_a_priority_is_a_word_or_a_number(tmp_path: Path) -> None:
    (tmp_path / "seeds").write_text("http://a.test/\thigh\nhttp://b.test/\t0.25\nhttp://c.test/\t2\n")
    source = source_on(tmp_path / "seeds")
    assert taken(source) == [("http://a.test/", 0.85), ("http://b.test/", 0.25)]
    assert source.skipped == 1
    assert "line 3" in source.first_skipped[0]


def test_d1_gzip_data_that_is_cut_off_is_told(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(os.urandom(9).hex().encode() + b".test\n" for _ in range(9)))
    for content in (whole[:-9], whole[:40] + bytes(40)):
        with pytest.raises(BadSeed, match="seeds cannot be read after line"):
            hrefs(tmp_path, content)


def test_q2_a_line_that_is_too_long_is_skipped_and_counted(tmp_path: Path) -> None:
    (tmp_path / "seeds").write_bytes(b"a.test\n" + b"x" * 1_000_000 + b"\nb.test\n")
    source = source_on(tmp_path / "seeds")
    assert [href for href, _ in taken(source)] == ["https://a.test/", "https://b.test/"]
    assert source.skipped == 1
    assert "longer than 65,536 characters" in source.first_skipped[0]


@pytest.mark.parametrize("name", ["/dev/zero", "seeds", "seeds.gz"])
def test_q2_a_file_that_is_one_endless_line_is_no_list_of_seeds(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "seeds":
        path.write_bytes(b"a.test\n")
        os.truncate(path, 1 << 40)
    elif name == "seeds.gz":
        path.write_bytes(gzip.compress(bytes(40_000_000)))
    with pytest.raises(BadSeed, match="not a list of seeds: a line has more than 16 MiB"):
        taken(source_on(path))


def test_f3_seeds_come_in_slices_and_only_the_last_is_marked(tmp_path: Path) -> None:
    (tmp_path / "seeds").write_text("".join(f"h{number}.test\n" for number in range(SLICE + 1)))
    source = source_on(tmp_path / "seeds")
    sizes = []
    while (some := source.wait()) is not None:
        assert source.wait() is some
        sizes.append((len(some.seeds), some.is_last))
        source.take()
    assert sizes == [(SLICE, False), (1, True)]
    assert (source.taken, source.is_over) == (SLICE + 1, True)


def test_f3_whoever_waits_for_a_pipe_can_be_stopped() -> None:
    reading, writing = os.pipe()
    with FileIO(reading, "rb") as file, FileIO(writing, "wb") as pipe:
        source = SeedSource("pipe").read_from(lambda source: read_slices(source, (), [("pipe", file)], IDENTITY))
        pipe.write(b"http://a.test/\nhttp://b.")
        first = source.wait()
        assert first is not None
        assert [seed.url.href for seed in first.seeds] == ["http://a.test/"]
        source.take()
        source.stop()
        assert source.wait() is None
        assert not source.is_over


def test_seeds_in_memory_are_at_hand() -> None:
    source = make_source(parse_arguments(["a.test", "b.test", "c.test"], IDENTITY), size=2)
    assert source is not None
    assert source.peek() is not None
    assert len(taken(source)) == 3
    assert make_source([]) is None
