"""How the synthetic web is started, and what it says when it cannot be (Q3, O1c)."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from hondius.errors import WrongUse
from hondius.testweb.access_log import read_access_log
from hondius.testweb.command import TestWebOptions, run_testweb
from hondius.testweb.listeners import listen
from hondius.testweb.manifest import read_manifest

COMMAND = (sys.executable, "-m", "hondius.testweb", "--hosts", "3", "--pages-per-host", "2")
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


async def run_refused(options: TestWebOptions) -> str:
    with pytest.raises(WrongUse) as caught:
        async with run_testweb(options):
            pass
    return str(caught.value)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_one_line_tells_a_crawl_all_it_needs_and_a_signal_ends_the_web(tmp_path: Path, stop: signal.Signals) -> None:
    log, manifest = tmp_path / "log.jsonl", tmp_path / "manifest.json"
    command = [*COMMAND, "--directory", str(tmp_path), "--access-log", str(log), "--manifest", str(manifest)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout
        announced = json.loads(process.stdout.readline())
        overrides = dict(line.split("=") for line in Path(announced["resolve"][1:]).read_text().split())
        request = urllib.request.Request(f"http://{overrides['h0001.test']}/robots.txt", headers={"Host": "h0001.test"})
        with urllib.request.urlopen(request) as answer:
            assert answer.status == 200
        process.send_signal(stop)
        assert process.wait(timeout=10) == 0
    assert announced["seeds"] == ["http://h0001.test/", "https://h0002.test/", announced["seeds"][2]]
    assert announced["seeds"] == read_manifest(manifest).seeds
    assert Path(announced["ca_file"]).read_text().startswith("-----BEGIN CERTIFICATE")
    assert [access.url for access in read_access_log(log)] == ["http://h0001.test/robots.txt"]


def test_q3_the_trial_of_the_readme_ends_by_itself(tmp_path: Path) -> None:
    """As it is written there, but for the delay between two requests."""
    text = (Path(__file__).parents[2] / "README.md").read_text()
    lines = re.findall(r"^hondius ((?:testweb|crawl) [^#\n]*?) +# in (?:one|another)", text, re.M)
    serve, crawl = ([sys.executable, "-m", "hondius", *line.split()] for line in lines)
    with subprocess.Popen(serve, stdout=subprocess.PIPE, env=ENVIRONMENT, cwd=tmp_path) as process:
        assert process.stdout
        assert process.stdout.readline()
        crawl += ["--delay", "0", "--json"]
        ended = subprocess.run(crawl, capture_output=True, env=ENVIRONMENT, cwd=tmp_path, timeout=100)
        process.send_signal(signal.SIGINT)
    summary = json.loads(ended.stdout)
    assert (ended.returncode, summary["stop_reason"], summary["queued"]) == (0, "done", 0)
    assert summary["hosts"] == 5


def test_wrong_use_is_one_line_and_exit_status_2() -> None:
    """O1c."""
    done = subprocess.run([*COMMAND, "--port", "70000"], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("replayed", [False, True])
def test_without_its_extra_the_web_says_what_to_install_and_writes_nothing(tmp_path: Path, replayed: bool) -> None:
    """O1c. In a process of its own: nothing of the package may be loaded yet."""
    web = tmp_path / "web"
    arguments = ["--replay", str(_small_archive(tmp_path))] if replayed else ["--hosts", "1"]
    script = "import sys; sys.modules['cryptography'] = None; from hondius.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", script, "testweb", "--directory", str(web), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "pip install 'hondius[testweb]'" in done.stderr
    assert not web.exists()


def _small_archive(directory: Path) -> Path:
    head = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    path = directory / "small.warc"
    path.write_bytes(head + b"Content-Length: %d\r\n\r\n%b\r\n\r\n" % (len(answer), answer))
    return path


async def test_a_taken_port_is_told_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.1.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        message = await run_refused(TestWebOptions(hosts=1, pages_per_host=1, port=port, directory=tmp_path))
    assert message == f"port {port} is taken on 127.1.0.1: choose another one, or --port 0 for any that is free"


async def test_https_takes_the_port_behind_that_of_http(tmp_path: Path) -> None:
    (free,) = listen(["127.1.0.1"], 0)
    port = free.getsockname()[1]
    free.close()
    async with run_testweb(TestWebOptions(2, 1, port=port, directory=tmp_path)) as web:
        assert (web.http_port, web.https_port) == (port, port + 1)
        assert web.resolve_file.read_text() == f"h0001.test=127.1.0.1:{port}\nh0002.test=127.1.0.2:{port + 1}\n"


async def test_a_free_port_is_free_on_every_address(tmp_path: Path) -> None:
    async with run_testweb(TestWebOptions(120, 1, directory=tmp_path)) as web:
        ports = {line.rpartition(":")[2] for line in web.resolve_file.read_text().split()}
        assert ports == {str(web.http_port), str(web.https_port)}


async def test_the_web_leaves_no_listener_behind(tmp_path: Path) -> None:
    async with run_testweb(TestWebOptions(2, 1, directory=tmp_path)) as web:
        port = web.http_port
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.1.0.1", port))


@pytest.mark.parametrize(
    "options",
    [
        TestWebOptions(hosts=0),
        TestWebOptions(hosts=100_000),
        TestWebOptions(pages_per_host=0),
        TestWebOptions(port=65535),
        TestWebOptions(hosts=2, unreachable_robots_hosts=2),
    ],
)
async def test_numbers_out_of_range_are_wrong_use(options: TestWebOptions) -> None:
    assert "\n" not in await run_refused(options)


async def test_a_place_that_cannot_be_written_is_wrong_use(tmp_path: Path) -> None:
    options = TestWebOptions(hosts=1, manifest=tmp_path / "missing" / "manifest.json", directory=tmp_path)
    assert "choose another place" in await run_refused(options)
