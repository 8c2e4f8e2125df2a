"""Wrong use gets one line that says what to do, exit status 2, and nothing is written (O1c)."""

import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hondius.opening import open_settings
from hondius.operate.cli import main
from hondius.settings import Settings
from hondius.settings_text import format_settings_file
from tests.acceptance import commands
from tests.use.small_crawl import make_crawl

SEED = "http://a.test/"


class Refused:
    """Calls the command with what it must refuse; `place` is found as it was left."""

    def __init__(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._place = place
        self._capsys = capsys

    def __call__(self, *arguments: object) -> str:
        """The one line that it says."""
        before = _contents(self._place)
        status = main.run([str(argument) for argument in arguments])
        output, errors = self._capsys.readouterr()
        assert (status, output) == (2, ""), errors
        assert errors.startswith("hondius: ")
        assert len(errors.splitlines()) == 1, errors
        assert _contents(self._place) == before
        return errors


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Refused:
    return Refused(tmp_path, capsys)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("crawl")
    make_crawl(directory)
    return directory


def _contents(place: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in place.rglob("*")}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--frobnicate"], "--frobnicate"),
        (["--max-pages", "many"], "--max-pages"),
        (["--max-pages", "0"], "--max-pages"),
        (["--max-bytes", "10 parsecs"], "--max-bytes"),
        (["--max-time", "soon"], "--max-time"),
        (["--delay", "-1"], "delay"),
        (["--concurrency", "0"], "concurrency"),
        (["--scope", "universe"], "scope"),
        (["--include", "("], "--include '(' is not a regular expression (unclosed group)"),
        (["--resolve", "nowhere"], "--resolve"),
        (["--resolve", "@missing.txt"], "missing.txt"),
        (["--resolve", "*.test=not-an-address"], "not-an-address"),
        (["--header", "no colon here"], "--header"),
        (["--proxy", "gopher://proxy.test"], "proxy"),
        (["--ca-file", "missing.pem"], "missing.pem: No such file"),
        (["--ca-file", "missing.pem"], "--ca-file "),
        (["--ca-file", "missing.pem"], "give the path of a file with certificates in PEM form"),
        (["--allow-private", "everywhere"], "everywhere"),
    ],
)
def test_an_option_that_is_unknown_or_out_of_range_is_named(
    refused: Refused, tmp_path: Path, options: list[str], named: str
) -> None:
    assert named in refused("crawl", SEED, "--into", tmp_path / "crawl", *options)


def test_a_scope_that_is_none_is_told_those_there_are(refused: Refused, tmp_path: Path) -> None:
    said = refused("crawl", SEED, "--into", tmp_path / "crawl", "--scope", "all")
    assert "--scope is 'all': one of host, domain, prefix, any is expected" in said


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("fetch.concurrency=many", "'many': a whole number from 1 to 20000"),
        ("limits.max_pages=1.5", "1.5: a whole number from 1 on"),
        ("politeness.delay=long", "'long': a number from 0 to 86400"),
        ("politeness.delay=-1", "-1: a number from 0 to 86400"),
        ("fetch.read_timeout=0", "0: a number above 0 to 3600"),
        ("stores.free_bytes=-1", "-1: a whole number from 0 on"),
        ("identity.drop_www=perhaps", "'perhaps': true or false"),
        ("fetch.headers=1", "1: a list"),
        ("fetch.contact=1", "1: text"),
    ],
)
def test_a_setting_that_cannot_be_is_told_what_can(
    refused: Refused, tmp_path: Path, setting: str, expected: str
) -> None:
    said = refused("crawl", SEED, "--into", tmp_path / "crawl", "--set", setting)
    assert f"setting {setting.partition('=')[0]} is {expected} is expected" in said


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--delay", "long"], "--delay is 'long': a number is expected"),
        (["--delay=-1"], "--delay is -1.0: a number from 0 to 86400 is expected"),
        (["--max-pages", "0"], "--max-pages is 0: a whole number from 1 on is expected"),
        (["--set", "limits.max_pages=0"], "setting limits.max_pages is 0: a whole number from 1 on is expected"),
        (["--max-pages", "1", "--max-pages=many"], "--max-pages is 'many': a whole number is expected"),
    ],
)
def test_an_option_that_cannot_be_is_told_what_can(
    refused: Refused, tmp_path: Path, options: list[str], expected: str
) -> None:
    assert expected in refused("crawl", SEED, "--into", tmp_path / "crawl", *options)


def test_an_option_out_of_range_is_told_the_limit(refused: Refused) -> None:
    assert "--hosts is 0: a number from 1 to 2000 is expected" in refused("bench", "--hosts", "0")


WRITERS = [("export", ("--format", "jsonl", "-o")), ("audit", ("--site", "a.test", "--html")), ("report", ("-o",))]


@pytest.mark.parametrize(("command", "option"), WRITERS)
@pytest.mark.parametrize("place", ["missing/file", "."])
def test_a_place_that_cannot_be_written_is_wrong_use_whoever_writes(
    refused: Refused, tmp_path: Path, crawl: Path, command: str, option: tuple[str, ...], place: str
) -> None:
    said = refused(command, crawl, *option, tmp_path / place)
    assert str(tmp_path / place) in said
    assert ("create the directory" if place == "missing/file" else "choose another file") in said


@pytest.mark.parametrize(("command", "option"), WRITERS)
@pytest.mark.parametrize("file", ["hondius.toml", "log/00000000000000000001.log", "new.jsonl"])
def test_s4_nothing_is_written_over_the_files_of_the_crawl_that_it_is_made_of(
    refused: Refused, crawl: Path, command: str, option: tuple[str, ...], file: str
) -> None:
    before = {path: path.read_bytes() for path in crawl.rglob("*") if path.is_file()}
    assert "choose a file outside of" in refused(command, crawl, *option, crawl / file)
    assert {path: path.read_bytes() for path in crawl.rglob("*") if path.is_file()} == before


def test_a_seed_that_is_no_url_is_named(refused: Refused, tmp_path: Path) -> None:
    assert "http://[::broken/" in refused("crawl", "http://[::broken/", "--into", tmp_path / "crawl")


def test_a_file_without_a_seed_is_refused_with_the_first_bad_line(refused: Refused, tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("# no good one\n\nmailto:nobody@a.test\n")
    said = refused("crawl", "--seeds", seeds, "--into", tmp_path / "crawl")
    assert "line 3" in said
    assert "mailto:nobody@a.test" in said


def test_the_exit_status_reaches_the_shell(tmp_path: Path) -> None:
    ended = commands.run("crawl", SEED, "--into", tmp_path, "--scope", "universe", patience=20)
    assert ended.status == 2


def test_without_a_seed_there_is_nothing_to_crawl(refused: Refused, tmp_path: Path) -> None:
    assert "--seeds" in refused("crawl", "--into", tmp_path / "crawl")


@pytest.mark.parametrize("name", ["missing.txt", "directory", "binary.txt"])
def test_a_seeds_file_that_cannot_be_read_is_named(refused: Refused, tmp_path: Path, name: str) -> None:
    (tmp_path / "directory").mkdir()
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    assert name in refused("crawl", "--seeds", tmp_path / name, "--into", tmp_path / "crawl")


def test_a_directory_that_cannot_be_made_is_refused(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert "file/crawl" in refused("crawl", SEED, "--into", tmp_path / "file" / "crawl")


def test_a_file_in_place_of_a_directory_is_refused(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "crawl").write_text("a file")
    assert "choose a directory" in refused("crawl", SEED, "--into", tmp_path / "crawl")


def test_a_directory_that_holds_something_else_is_refused(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    assert "something else" in refused("crawl", SEED, "--into", tmp_path)


@pytest.mark.parametrize("command", ["resume", "status", "export", "verify", "rebuild"])
def test_a_directory_without_a_crawl_is_refused(refused: Refused, tmp_path: Path, command: str) -> None:
    assert "holds no crawl" in refused(command, tmp_path)


@pytest.mark.parametrize("command", ["status", "verify", "explain", "audit", "resume", "rebuild"])
def test_whoever_reads_what_is_no_crawl_is_told_how_one_is_made(refused: Refused, tmp_path: Path, command: str) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    said = refused(command, tmp_path, *([SEED] if command == "explain" else []))
    assert "name the directory of one, or start one with `hondius crawl URL --into " in said
    assert "choose an empty" not in said


@pytest.mark.parametrize("command", ["resume", "status", "export", "verify", "rebuild"])
def test_a_newer_format_is_refused(refused: Refused, tmp_path: Path, command: str) -> None:
    (tmp_path / "hondius.toml").write_text("format = 1000\n")
    assert "upgrade" in refused(command, tmp_path)


def test_a_setting_out_of_range_in_the_settings_file_is_named(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "hondius.toml").write_text("format = 1\n[politeness]\ndelay = -5.0\n")
    assert "politeness.delay" in refused("resume", tmp_path)


@pytest.mark.parametrize("text", [f"[fetch]\nconcurrency = {'1' * 50_000}\n", "a = " + "[" * 60_000])
@pytest.mark.parametrize("command", ["status", "resume", "verify", "rebuild", "config"])
def test_q2_a_settings_file_that_no_parser_takes_is_refused(
    refused: Refused, tmp_path: Path, text: str, command: str
) -> None:
    (tmp_path / "hondius.toml").write_text(text)
    assert "hondius.toml is not valid TOML" in refused(command, tmp_path)


def test_an_unknown_setting_in_the_settings_file_is_named(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "hondius.toml").write_text("format = 1\n[politeness]\ndeley = 5.0\n")
    assert "there is no setting `deley` in politeness; did you mean delay?" in refused("resume", tmp_path)
    (tmp_path / "hondius.toml").write_text("format = 1\n[politness]\ndelay = 5.0\n")
    assert "did you mean politeness?" in refused("resume", tmp_path)
    (tmp_path / "hondius.toml").write_text("format = 1\n[fetch]\nheaders = [[1]]\n")
    assert "setting fetch.headers[0] is [1]: text is expected" in refused("resume", tmp_path)


def test_switches_of_identity_that_were_changed_by_hand_are_refused(refused: Refused, tmp_path: Path) -> None:
    """U3."""
    written = format_settings_file(Settings()).decode()
    (tmp_path / "hondius.toml").write_text(written.replace("drop_tracking = true", "drop_tracking = false"))
    for command in ("resume", "status", "export", "verify", "rebuild"):
        assert "identity" in refused(command, tmp_path)


def test_a_port_that_is_taken_is_refused(refused: Refused, tmp_path: Path) -> None:
    with socket.create_server(("127.1.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert str(port) in refused("testweb", "--hosts", 1, "--port", port, "--directory", tmp_path)


def test_o1c_a_replay_on_a_port_in_use_names_the_option(refused: Refused, tmp_path: Path) -> None:
    make_crawl(tmp_path / "crawl")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused("replay", tmp_path / "crawl", "--port", port)
    assert said.strip() == f"hondius: port {port} is in use: choose another with --port, or 0 for one that is free"


@pytest.fixture
def crawl_in_use(tmp_path: Path) -> Iterator[Path]:
    """A crawl under way: its only server takes connections, and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.TemporaryFile() as said:
        resolve = f"*.test=127.0.0.1:{server.getsockname()[1]}"
        directory = tmp_path / "crawl"
        process = commands.start(
            *("crawl", SEED, "--into", directory, "--resolve", resolve, "--json"), output=said, errors=said
        )
        try:
            server.settimeout(20)
            connection, _ = server.accept()
            with connection:
                yield directory
        finally:
            process.kill()
            assert process.wait() == -signal.SIGKILL


@pytest.mark.parametrize("command", ["resume", "verify", "rebuild"])
def test_a_directory_in_use_is_refused(crawl_in_use: Path, command: str) -> None:
    ended = commands.run(command, crawl_in_use, patience=20)
    assert (ended.status, ended.output) == (2, "")
    assert "is in use by process" in ended.errors
    assert len(ended.errors.splitlines()) == 1


@pytest.mark.parametrize(
    ("files", "concurrency", "status", "said"),
    [
        (
            256,
            "300",
            1,
            "the open-file limit of this system allows 24 requests at once, not 300: `ulimit -n 2264` raises it",
        ),
        (256, "24", 1, ""),
        (70, "1", 2, "allows 70 open files, too few for a crawl: raise that with `ulimit -n 72`"),
    ],
)
def test_f8_fewer_requests_at_once_where_the_system_allows_few_open_files(
    tmp_path: Path, files: int, concurrency: str, status: int, said: str
) -> None:
    """The settings stay: another machine may allow more. Nothing answers at the address, so the crawl fails."""
    directory = tmp_path / "crawl"
    command = [*commands.HONDIUS, "crawl", SEED, "--into", str(directory), "--concurrency", concurrency]
    command += ["--resolve", "*.test=127.0.0.1:9", "--delay", "0", "--max-time", "1"]
    ended = subprocess.run(
        ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command], capture_output=True, text=True, check=False
    )
    assert ended.returncode == status
    assert said in ended.stderr
    assert bool(said) == ("open" in ended.stderr)
    if status == 1:
        assert open_settings(directory).fetch.concurrency == int(concurrency)
    else:
        assert not directory.exists()


STARVED = """
import resource, sys, threading, time
from hondius.operate.cli import main, status

def starve() -> None:
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + 2**20, size + 2**20))
    threading.Thread(target=time.sleep, args=(1,)).start()

status.register = lambda app: app.command("status")(starve)
sys.exit(main.run(["status"]))
"""


def test_a_system_that_gives_no_more_threads_is_told_in_one_line() -> None:
    """By a command that does nothing else: what a crawl runs into first is never the same."""
    ended = subprocess.run([sys.executable, "-c", STARVED], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith("hondius: the system provides no more memory or threads")
    assert ended.stderr.count("\n") == 1
