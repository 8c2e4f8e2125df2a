"""A crawler to compare with: a folder of `benchmarks/peers` with `peer.toml` and our glue, installed into the cache."""

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from benchmarks.site.generate import CACHE

PEERS = Path(__file__).parents[1] / "peers"
INSTALLED = CACHE / "peers"
HONDIUS = "hondius"
MANIFEST = "peer.toml"
QUIET = {"DO_NOT_TRACK": "1", "CI": "1", "PYTHONDONTWRITEBYTECODE": "", "GOTOOLCHAIN": "local"}


class NotInstalled(Exception):
    """Says why."""


class Peer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`peer.toml`. Commands run in the folder that the peer was installed into, and may name {python}, {seeds},
    {paths}, {output}, {concurrency}, {scheme} and {authority}."""

    name: str
    version: str
    kind: Literal["crawler", "apart"]
    """What is apart is no crawler that could be compared, and shown for orientation."""
    keeps: str
    robots: bool
    """Whether it obeys robots.txt."""
    note: str
    """Why it is configured as it is."""
    install: list[list[str]] = []
    run: list[str]
    https: list[str] = []
    """Arguments to add where the site is served by HTTPS."""
    environment: dict[str, str] = {}
    folder: str = ""

    @property
    def home(self) -> Path:
        return INSTALLED / self.folder

    @property
    def configuration(self) -> str:
        """A digest of its folder: what is measured is the crawler as it is configured there."""
        digest = hashlib.sha256()
        folder = PEERS / self.folder
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
        return digest.hexdigest()[:16]

    def command(self, places: Mapping[str, str]) -> list[str]:
        secure = self.https if places["scheme"] == "https" else []
        return [part.format_map(places) for part in [*self.run, *secure]]

    def surroundings(self, places: Mapping[str, str]) -> dict[str, str]:
        """A variable that would be empty, as there is no authority by HTTP, is left out."""
        own = {name: value.format_map(places) for name, value in self.environment.items()}
        return {**os.environ, **QUIET, **{name: value for name, value in own.items() if value}}


def names() -> list[str]:
    return sorted(file.parent.name for file in PEERS.glob(f"*/{MANIFEST}"))


def peer(folder: str) -> Peer:
    written = tomllib.loads((PEERS / folder / MANIFEST).read_text())
    return msgspec.convert({**written, "folder": folder}, Peer)


def install(chosen: Peer) -> None:
    """Into the cache, once for each state of its folder."""
    stamp = chosen.home / ".installed"
    if stamp.exists() and stamp.read_text() == chosen.configuration:
        return
    shutil.copytree(PEERS / chosen.folder, chosen.home, dirs_exist_ok=True)
    places = {"python": sys.executable, "home": str(chosen.home)}
    for command in chosen.install:
        _run([part.format_map(places) for part in command], chosen)
    stamp.write_text(chosen.configuration)


def _run(command: list[str], chosen: Peer) -> None:
    print(f"installing {chosen.name} {chosen.version}: {' '.join(command)}", file=sys.stderr)
    try:
        subprocess.run(
            ["nice", *command],
            cwd=chosen.home,
            env={**os.environ, **QUIET},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise NotInstalled(f"{command[0]}: {' '.join(last) or error.returncode}") from None
