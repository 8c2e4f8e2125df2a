"""Orders to a crawl that is killed: an accepted order must be obeyed (F5, R4)."""

import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from subprocess import Popen

from hondius.testweb.access_log import Access, read_access_log
from tests.acceptance import commands
from tests.acceptance.crash import moments
from tests.acceptance.synthetic_web import SyntheticWeb

LONG_AGO = 2.0
"""Seconds after which an answer is no longer in progress."""


@dataclass
class Orders:
    accepted: list[tuple[str, str]] = field(default_factory=list)
    """(`blacklist` or `pause`, host): hosts outside the web, so that the manifest stays valid."""
    wanted: list[tuple[str, float]] = field(default_factory=list)
    """Resources to recrawl, and when the order was accepted."""
    perhaps: Counter[str] = field(default_factory=Counter)
    """How often each resource was, or may have been, recrawled by order."""
    _hosts: int = 0

    def next_command(self, directory: Path, random: Random) -> list[str]:
        self._hosts += 1
        host = f"order-{self._hosts}.test"
        return random.choice((["blacklist", str(directory), host], ["pause", str(directory), host, "--for", "2h"]))

    def accept(self, command: list[str]) -> None:
        self.accepted.append((command[0], command[2]))

    def give(self, web: SyntheticWeb, directory: Path, crawl: Popen[bytes], random: Random) -> None:
        """Gives an order to a running crawl, which is killed soon after; or kills the order command itself."""
        page = _some_page(web, random) if random.random() < 0.4 else None
        command = self.next_command(directory, random) if page is None else ["recrawl", str(directory), page.url]
        if not (directory / "log").is_dir() or crawl.poll() is not None:
            return
        at = time.time()
        if page is not None:
            self.perhaps[page.resource] += 1
        if not _is_accepted(command, random):
            return
        if page is None:
            self.accept(command)
        else:
            self.wanted.append((page.resource, at))
        moments.sleep(random.uniform(0, 1.2), crawl)

    def not_carried_out(self, directory: Path, requests: list[Access]) -> list[str]:
        listed = {name: commands.run_well(name, directory).output.split() for name in ("blacklist", "pause")}
        lost = [f"{name} {host}" for name, host in self.accepted if host not in listed[name]]
        newest = {access.resource: access.started for access in sorted(requests, key=lambda access: access.started)}
        return lost + [f"recrawl {resource}" for resource, at in self.wanted if newest.get(resource, 0.0) < at]


def _some_page(web: SyntheticWeb, random: Random) -> Access | None:
    """A resource that was fetched successfully and long enough ago to be in the log, unless a kill lost it."""
    once = {row.resource for row in web.manifest.resources if row.state == "completed" and row.max_requests == 1}
    before = time.time() - LONG_AGO
    fetched = [access for access in read_access_log(web.access_log) if access.status == 200 and access.time < before]
    pages = [access for access in fetched if access.resource in once]
    return random.choice(pages) if pages else None


def _is_accepted(command: list[str], random: Random) -> bool:
    with tempfile.TemporaryFile() as said:
        process = commands.start(*command, output=said, errors=said)
        if random.random() < 0.3:
            moments.sleep(random.uniform(0.2, 0.9), process)
            if process.poll() is None:
                process.kill()
        status = process.wait()
        said.seek(0)
        if status not in (0, -9):
            raise SystemExit(f"hondius {' '.join(command[:2])}: exit status {status}: {said.read().decode()}")
        return status == 0
