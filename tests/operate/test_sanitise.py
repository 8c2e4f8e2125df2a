"""What strangers wrote is shown, and a terminal obeys none of it (Q2)."""

import json
import logging
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import msgspec
import pytest
from rich.table import Table

from hondius.model import Archived, SeedsTaken
from hondius.operate.cli.display.console import make_console
from hondius.sanitise import escape_controls, escape_controls_in_json
from hondius.session.crawl_log import LogOptions, write_crawl_log
from hondius.stores.disk.embedded import EmbeddedDisk
from hondius.stores.log import frames
from hondius.stores.log.embedded import EmbeddedLog
from tests.use.small_crawl import SmallCrawl

EVIL = "\x1b[31mPWN\x1b]0;title\x07\r\x9b2J\u202eback[/bold]"
OBEYED = {*map(chr, range(32)), *map(chr, range(127, 160)), *"\u061c\u200e\u200f\u202a\u202e\u2066\u2069"} - {
    "\n",
    "\t",
}


def test_q2_nothing_is_left_that_a_terminal_obeys() -> None:
    everything = "".join(map(chr, range(0x2100)))
    assert not OBEYED & set(escape_controls(everything))
    assert escape_controls("a\tb\nGrüße 漢字 \u200d👩") == "a\tb\nGrüße 漢字 \u200d👩"
    assert escape_controls(EVIL).startswith("\\x1b[31mPWN\\x1b]0;title\\x07\\r\\x9b2J\\u202eback")


def test_q2_json_keeps_its_values() -> None:
    text = msgspec.json.encode({"url": EVIL}).decode()
    assert not OBEYED & set(escape_controls_in_json(text))
    assert json.loads(escape_controls_in_json(text)) == {"url": EVIL}


def test_q2_a_table_keeps_its_own_colours_alone(capsys: pytest.CaptureFixture[str]) -> None:
    console = make_console()
    console._force_terminal = True
    table = Table("cause")
    table.add_row(EVIL.replace("[", "("))
    console.print(table)
    console.print(f"[bold]{EVIL.replace('[', '(')}[/bold]")
    shown = capsys.readouterr().out
    assert "PWN" in shown
    assert "\x1b(31m" not in shown
    assert "\x07" not in shown


def test_q2_the_log_has_lines_and_none_of_it_is_obeyed(tmp_path: Path) -> None:
    with write_crawl_log(tmp_path, LogOptions(), ()):
        logging.getLogger("hondius.test").warning("a certificate for %s", f"{EVIL}\nforged line")
        try:
            raise ValueError(EVIL)
        except ValueError:
            logging.getLogger("hondius.test").exception("met")
    text = (tmp_path / "crawl.log").read_text()
    assert not OBEYED & set(text)
    assert "PWN" in text
    assert "forged line" in text.splitlines()[0]
    assert "ValueError: \\x1b[31mPWN" in text.splitlines()[-1]


def with_queue(crawl: Path) -> None:
    queue = {"at": 1.0, "urls": 1, "hosts": 1, "ready": 0, "resting": 0, "asleep": 0, "next_at": None, "parked": 0}
    (crawl / "queue.json").write_bytes(msgspec.json.encode(queue | {"spent": {EVIL: 5}}))


def with_catalog(crawl: Path) -> None:
    with closing(apsw.Connection(str(crawl / "crawl.db"))) as catalog:
        catalog.execute("INSERT INTO host_orders VALUES ('h.test', 1, 1e11, NULL, ?, 1)", (EVIL,))
        catalog.execute("INSERT INTO host_orders VALUES (?, 1, 1e11, NULL, 'x', 1)", (EVIL,))
        catalog.execute("INSERT INTO blacklist VALUES (?, ?, 1, 0)", (EVIL, EVIL))
        catalog.execute("UPDATE runs SET reason = ?, ended_at = 5", (EVIL,))
        catalog.execute("INSERT INTO totals VALUES ('page', 'failed', ?, 3)", (EVIL.replace("[/bold]", ""),))
        catalog.execute("INSERT INTO seeds VALUES (?, 1, 0)", (EVIL,))
        catalog.execute("UPDATE pages SET title = ?, url = url || ?", (EVIL, EVIL))


def with_log(crawl: Path) -> None:
    """As a stranger writes it: Hondius refuses to."""
    with (
        pytest.MonkeyPatch.context() as patch,
        closing(EmbeddedDisk(crawl)) as disk,
        closing(EmbeddedLog(disk)) as log,
    ):
        patch.setattr(frames, "find_implausible", lambda events: None)
        log.append([SeedsTaken(3.0, EVIL, 1, False, ""), Archived(f"{EVIL}.warc.gz", 5)], 3.0)


def with_settings(crawl: Path) -> None:
    with (crawl / "hondius.toml").open("a") as file:
        file.write('\n["\\u001b[31mPWN\\u009b"]\nx = 1\n')


@pytest.mark.parametrize("plant", [with_queue, with_catalog, with_log, with_settings])
@pytest.mark.parametrize(
    "command", ["status", "status --json", "explain", "explain --json", "verify", "pause", "blacklist", "resume"]
)
def test_q2_no_command_passes_on_what_a_terminal_obeys(
    crawl: Path, small_crawl: SmallCrawl, plant: Callable[[Path], None], command: str
) -> None:
    plant(crawl)
    name, *options = command.split()
    more = {"explain": [small_crawl.page], "resume": ["--max-time", "1s"]}.get(name, [])
    words = [sys.executable, "-m", "hondius", name, str(crawl), *more, *options]
    ended = subprocess.run(words, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    shown = ended.stdout.decode() + ended.stderr.decode()
    assert not OBEYED & set(shown), shown
    log = crawl / "crawl.log"
    assert not log.exists() or not OBEYED & set(log.read_text())


def test_q2_an_option_is_shown_and_not_obeyed(crawl: Path) -> None:
    words = [sys.executable, "-m", "hondius", "resume", str(crawl), "--set", f"fetch.{EVIL}=1"]
    ended = subprocess.run(words, capture_output=True, timeout=60)
    assert ended.returncode == 2
    assert not OBEYED & set(ended.stderr.decode())
    assert "PWN" in ended.stderr.decode()


def test_q2_on_a_terminal_only_our_own_colours_are_left(crawl: Path) -> None:
    with_queue(crawl)
    with_catalog(crawl)
    shown = on_a_terminal("status", str(crawl))
    assert "PWN" in shown
    assert "\x1b[31m" not in shown
    assert "\x1b]" not in shown
    assert "\x07" not in shown


def test_o1_help_keeps_its_colours() -> None:
    assert "\\x1b" not in on_a_terminal("--help")


def on_a_terminal(*words: str) -> str:
    leader, follower = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color"}
    process = subprocess.Popen(
        [sys.executable, "-m", "hondius", *words], stdout=follower, stderr=follower, stdin=follower, env=environment
    )
    os.close(follower)
    parts = []
    try:
        while part := os.read(leader, 65_536):
            parts.append(part)
    except OSError:  # nobody writes any more
        pass
    process.wait(timeout=60)
    os.close(leader)
    return b"".join(parts).decode()
