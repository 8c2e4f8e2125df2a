"""The shape of the house: which files one URL passes through, before and after, and how many parts a thing has."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.acceptance.earlier_build import make_earlier_build
from tests.acceptance.figure import Figure
from tests.test_architecture import MOST_PARTS, SOURCES, parts_of_classes

TRACER = Path(__file__).with_name("trace_files.py")


class OnePage(BaseHTTPRequestHandler):
    """A site of one page, without a robots.txt."""

    def do_GET(self) -> None:
        found = self.path == "/"
        body = b"<html><title>One page</title><body><p>Some words of text.</body></html>" if found else b"not found"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Says nothing."""


def figures() -> Iterator[Figure]:
    earlier = make_earlier_build()
    before, today = _files(earlier.python), _files(Path(sys.executable))
    for name, files in (("earlier build", before), ("today", today)):
        print(f"       files of one URL, from seed to export, {name}: {len(files)}", flush=True)
        for room, some in _by_room(files).items():
            print(f"         {room or 'the floor'}: {', '.join(some)}", flush=True)
    yield Figure("files of one URL, from seed to export, not judged", True, f"{len(before)} → {len(today)}")
    large = {
        name: count
        for path in (SOURCES / "crawler").rglob("*.py")
        for name, count in parts_of_classes(path.read_text())
        if count > MOST_PARTS
    }
    yield Figure(
        "constructors and bags in crawler/ with more parts than allowed",
        not large,
        ", ".join(f"{name} ({count})" for name, count in large.items()) or "none",
        f"none with more than {MOST_PARTS}",
    )


def _files(python: Path) -> list[str]:
    """Of the package, in which a function was called while a crawl fetched one page, and an export wrote it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), OnePage)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        with tempfile.TemporaryDirectory(prefix="hondius-house-") as name:
            crawl, seen = Path(name) / "crawl", set[str]()
            options = ["--resolve", f"one.test=127.0.0.1:{server.server_port}", "--delay", "0", "--json"]
            for arguments in (["crawl", "http://one.test/", "--into", crawl, *options], ["export", crawl]):
                seen |= _trace(python, Path(name) / "files", arguments)
            return sorted(seen)
    finally:
        server.shutdown()
        server.server_close()


def _trace(python: Path, notes: Path, arguments: list[object]) -> set[str]:
    command = [str(python), str(TRACER), str(notes), *map(str, arguments)]
    subprocess.run(command, check=True, cwd=notes.parent, capture_output=True)
    return set(json.loads(notes.read_text()))


def _by_room(files: list[str]) -> dict[str, list[str]]:
    rooms: dict[str, list[str]] = {}
    for file in files:
        room, _, name = file.rpartition("/")
        rooms.setdefault(room, []).append(name)
    return rooms
