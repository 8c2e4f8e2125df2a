"""`hondius import` (S11): what it prints, and what it refuses."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hondius.operate.cli import main
from tests.use.foreign_archives import Foreign, make_archive, make_page

Say = Callable[..., tuple[str, str]]
HOME = "http://a.test/"


@pytest.fixture
def say(capfd: pytest.CaptureFixture[str]) -> Say:
    """Output and messages of a command, which must end with `status`."""

    def call(*arguments: object, status: int = 0) -> tuple[str, str]:
        capfd.readouterr()
        ended = main.run([str(argument) for argument in arguments])
        output, errors = capfd.readouterr()
        assert ended == status, errors
        return output, errors

    return call


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    file = tmp_path / "foreign.warc.gz"
    damaged = bytearray(make_archive([Foreign("http://a.test/damaged", make_page("Damaged"))]))
    damaged[len(damaged) // 2] ^= 0xFF
    file.write_bytes(
        make_archive([Foreign(HOME, make_page("Home", "/later")), Foreign(HOME, b"x", kind="request")])
        + bytes(damaged)
        + make_archive([Foreign("http://a.test/robots.txt", b"User-agent: *")])
    )
    return file


def test_s11_an_import_says_what_became_of_the_records(archive: Path, tmp_path: Path, say: Say) -> None:
    crawl = tmp_path / "crawl"
    output, errors = say("import", archive, "--into", crawl)
    assert output.splitlines()[:4] == [
        f"{crawl}: 1 page imported from 4 records",
        "  1 robots.txt",
        "  1 other record: 1 request",
        "  1 skipped: damaged",
    ]
    assert errors.startswith("hondius: damaged: foreign.warc.gz at ")
    again = json.loads(say("import", archive, "--into", crawl, "--json")[0])
    assert (again["pages"], again["known"], again["damaged"]) == (0, 2, 1)


def test_s11_an_imported_crawl_has_sent_nothing_and_is_sound(archive: Path, tmp_path: Path, say: Say) -> None:
    crawl = tmp_path / "crawl"
    say("import", archive, "--into", crawl)
    output, _ = say("audit", crawl)
    assert output.startswith(f"{crawl}: 0 requests to 0 hosts in 0 runs, audited in ")
    assert "from imported archives: this crawl sent no request for them" in output
    say("verify", crawl)


def test_o1_wrong_use_is_one_line(archive: Path, tmp_path: Path, say: Say) -> None:
    page = tmp_path / "page.html"
    page.write_text("<html>")
    junk = tmp_path / "junk.gz"
    junk.write_bytes(gzip.compress(b"no archive"))
    for arguments, words in (
        (("import", junk, "--into", tmp_path / "crawl"), "no WARC record in it can be read"),
        (("import",), "nothing to import: name WARC files"),
        (("import", archive), "into which crawl?"),
        (("import", page, "--into", tmp_path / "crawl"), "does not begin as a WARC file"),
        (("import", tmp_path / "missing.warc", "--into", tmp_path / "crawl"), "cannot be read"),
    ):
        output, errors = say(*arguments, status=2)
        assert (output, errors.count("\n")) == ("", 1)
        assert words in errors
    assert not (tmp_path / "crawl").exists()
