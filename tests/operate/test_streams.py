"""Commands whose reader is gone, whose streams are closed, and that are interrupted before they have begun (O1c)."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hondius.operate.cli.streams import BROKEN_PIPE_STATUS
from tests.acceptance.commands import HONDIUS
from tests.use.small_crawl import make_crawl

INTERRUPTED_WHILE_IMPORTING = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "hondius.operate.cli.main":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
from hondius.__main__ import main
sys.argv = ["hondius", "--version"]
main()
"""


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("crawl")
    make_crawl(directory)
    return directory


@pytest.fixture
def seed() -> str:
    """Of a site that refuses connections: a crawl of it is over at once, and has something to tell."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{bound.getsockname()[1]}/"


def by_shell(redirected: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", f'exec "$@" {redirected}', "sh", *HONDIUS, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def without_readers(*arguments: object, errors_too: bool = False) -> tuple[int, str]:
    """Exit status, and what was said on standard error."""
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [*HONDIUS, *map(str, arguments)],
        stdout=writer,
        stderr=writer if errors_too else subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writer)
    return ended.returncode, (ended.stderr or b"").decode()


@pytest.mark.parametrize("command", ["status", "export", "verify"])
def test_o1c_a_closed_output_is_as_dev_null(crawled: Path, command: str) -> None:
    ended = by_shell(">&-", command, crawled)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_o1c_closed_streams_are_no_matter_to_a_crawl(seed: str, tmp_path: Path) -> None:
    ended = by_shell(">&- 2>&- <&-", "crawl", seed, "--into", tmp_path / "crawl", "--allow-private", "127.0.0.1")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "")  # nothing could be fetched
    assert json.loads(by_shell("2>&-", "status", tmp_path / "crawl", "--json").stdout)["last_run"]["reason"]


@pytest.mark.parametrize("command", ["status", "export", "audit", "verify"])
def test_o1c_what_is_written_for_a_reader_ends_quietly_when_he_is_gone(crawled: Path, command: str) -> None:
    assert without_readers(command, crawled) == (BROKEN_PIPE_STATUS, "")


def test_o1c_help_ends_quietly_when_its_reader_is_gone() -> None:
    assert without_readers("--help") == (BROKEN_PIPE_STATUS, "")


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_o1c_a_crawl_does_not_need_a_reader(seed: str, tmp_path: Path, as_json: tuple[str, ...]) -> None:
    options = ("--into", tmp_path / "crawl", "--allow-private", "127.0.0.1", *as_json)
    assert without_readers("crawl", seed, *options, errors_too=True) == (1, "")  # nothing could be fetched
    assert without_readers("resume", tmp_path / "crawl", "--max-time", "1s", *as_json) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
def test_o1c_a_summary_that_cannot_be_kept_is_told_once(seed: str, tmp_path: Path) -> None:
    ended = by_shell(">/dev/full", "crawl", seed, "--into", tmp_path / "crawl", "--allow-private", "127.0.0.1")
    assert ended.returncode == 1
    assert [line for line in ended.stderr.splitlines() if "cannot be written" in line] == ended.stderr.splitlines()[-1:]


def test_o1c_an_interrupt_while_python_still_imports_is_no_traceback() -> None:
    command = [sys.executable, "-c", INTERRUPTED_WHILE_IMPORTING]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_o1c_an_interrupt_that_is_ignored_stays_ignored() -> None:
    """As in the background of a script."""
    command = [sys.executable, "-c", INTERRUPTED_WHILE_IMPORTING]
    ended = subprocess.run(
        command,
        capture_output=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert ended.returncode == 0
    assert ended.stdout.startswith(b"hondius ")
