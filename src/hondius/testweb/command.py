"""Runs the web: plan, certificates, listeners, servers, and the files that describe it."""

import asyncio
import contextlib
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

import msgspec

from hondius.errors import WrongUse
from hondius.testweb.access_log import AccessLog
from hondius.testweb.answers import Answers
from hondius.testweb.authority import load_authority
from hondius.testweb.documents import Library
from hondius.testweb.listeners import close, listen, raise_file_limit
from hondius.testweb.manifest import Manifest, make_manifest, write_manifest
from hondius.testweb.model import Host, Web
from hondius.testweb.plan import Size, plan_web
from hondius.testweb.server import Servers

if TYPE_CHECKING:
    from hondius.testweb.certificates import Authority

MAX_HOSTS = 10_000
MAX_PRODUCTS = 100_000
MAX_TOPIC_PAGES = 100_000


@dataclass(frozen=True)
class TestWebOptions:
    __test__: ClassVar[bool] = False
    """Not a test, although its name looks like one to pytest."""

    hosts: int = 10
    pages_per_host: int = 30
    seed: int = 1
    port: int = 0
    """The HTTP port; HTTPS uses the next one. 0 chooses two free ports."""
    manifest: Path | None = None
    access_log: Path | None = None
    directory: Path | None = None
    """For the resolve file, the certificates and files without a path of their own. None: a temporary directory."""
    unreachable_robots_hosts: int = 0
    """Number of hosts, the last ones, whose robots.txt always returns 503."""
    slowest: float = 1.5
    products: int = 0
    """Products of a shop on a host of its own."""
    topic_pages: int = 0
    """Pages with labelled topics, on hosts of their own; the first is http://topics1.test/."""


@dataclass(frozen=True)
class RunningTestWeb:
    """What a crawl or a test needs to know about a running web."""

    http_port: int
    https_port: int | None
    resolve_file: Path
    ca_file: Path
    seeds: list[str]
    manifest: Manifest
    manifest_file: Path
    access_log: Path
    log: AccessLog
    """Flush it before reading the file."""

    @property
    def format_announcement(self) -> str:
        line = {
            "resolve": f"@{self.resolve_file}",
            "ca_file": str(self.ca_file),
            "seeds": self.seeds,
            "manifest": str(self.manifest_file),
            "access_log": str(self.access_log),
        }
        return msgspec.json.encode(line).decode()


def run(options: TestWebOptions, announce: Callable[[str], None]) -> None:
    """Serves until SIGINT or SIGTERM. Calls `announce` with one line of JSON when all hosts are ready."""
    asyncio.run(serve(run_testweb(options), announce))


class Announced(Protocol):
    @property
    def format_announcement(self) -> str: ...


async def serve(running: AbstractAsyncContextManager[Announced], announce: Callable[[str], None]) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with running as web:
        announce(web.format_announcement)
        await stopped.wait()


@contextlib.asynccontextmanager
async def run_testweb(options: TestWebOptions) -> AsyncIterator[RunningTestWeb]:
    _check_options(options)
    new_authority = load_authority()
    web = plan_web(_make_size(options))
    with (
        _open_listeners(web, options.port) as listeners,
        open_directory(options.directory) as directory,
        _open_files(options, directory, new_authority) as files,
    ):
        servers = Servers(Answers(web, Library(web)), files.log)
        try:
            await _start(web, servers, files.authority, listeners)
            yield _describe_web(web, _read_ports(listeners), files)
        finally:
            await servers.close()


@contextlib.contextmanager
def _open_listeners(web: Web, port: int) -> Iterator[dict[str, list[socket.socket]]]:
    """The sockets of each scheme. Opened first, so that a port in use is reported before anything is written."""
    raise_file_limit(len(web.hosts))
    listeners: dict[str, list[socket.socket]] = {}
    try:
        for scheme, wanted in (("http", port), ("https", port and port + 1)):
            if addresses := [host.address for host in web.hosts if host.scheme == scheme]:
                listeners[scheme] = listen(addresses, wanted)
        yield listeners
    finally:
        close([listener for some in listeners.values() for listener in some])


async def _start(web: Web, servers: Servers, authority: "Authority", listeners: dict[str, list[socket.socket]]) -> None:
    contexts = authority.make_contexts([host.name for host in web.hosts if host.scheme == "https"])
    for scheme, sockets in listeners.items():
        hosts = [host for host in web.hosts if host.scheme == scheme]
        for host, listener in zip(hosts, sockets, strict=True):
            await servers.start(host, listener, contexts.get(host.name))


def _read_ports(listeners: dict[str, list[socket.socket]]) -> dict[str, int]:
    return {scheme: sockets[0].getsockname()[1] for scheme, sockets in listeners.items()}


def _describe_web(web: Web, ports: dict[str, int], files: "_Files") -> RunningTestWeb:
    files.resolve.write_text("".join(_format_override(host, ports) for host in web.hosts))
    manifest = make_manifest(web)
    write_manifest(manifest, files.manifest)
    return RunningTestWeb(
        http_port=ports["http"],
        https_port=ports.get("https"),
        resolve_file=files.resolve,
        ca_file=files.authority.file,
        seeds=web.seeds,
        manifest=manifest,
        manifest_file=files.manifest,
        access_log=files.access_log,
        log=files.log,
    )


def _format_override(host: Host, ports: dict[str, int]) -> str:
    return f"{host.name}={host.address}:{ports[host.scheme]}\n"


@dataclass(frozen=True)
class _Files:
    resolve: Path
    manifest: Path
    access_log: Path
    log: AccessLog
    authority: "Authority"


@contextlib.contextmanager
def _open_files(options: TestWebOptions, directory: Path, new_authority: "type[Authority]") -> Iterator[_Files]:
    """Reports all problems with paths before a port is opened."""
    manifest = (options.manifest or directory / "manifest.json").absolute()
    access_log = (options.access_log or directory / "access.jsonl").absolute()
    try:
        manifest.touch()
        authority = new_authority(directory)
        log = AccessLog(access_log)
    except OSError as error:
        raise WrongUse(f"cannot write {error.filename} ({error.strerror}): choose another place for it") from error
    with log:
        yield _Files(directory / "resolve.txt", manifest, access_log, log, authority)


@contextlib.contextmanager
def open_directory(wanted: Path | None) -> Iterator[Path]:
    """The given directory, which stays, or a temporary one."""
    if wanted is None:
        with tempfile.TemporaryDirectory(prefix="hondius-testweb-") as name:
            yield Path(name)
    else:
        wanted.mkdir(parents=True, exist_ok=True)
        yield wanted.absolute()


def _make_size(options: TestWebOptions) -> Size:
    return Size(
        options.hosts,
        options.pages_per_host,
        options.seed,
        options.unreachable_robots_hosts,
        options.slowest,
        options.products,
        options.topic_pages,
    )


def _check_options(options: TestWebOptions) -> None:
    if not 1 <= options.hosts <= MAX_HOSTS:
        raise WrongUse(f"--hosts is {options.hosts}: choose 1 to {MAX_HOSTS}")
    if options.pages_per_host < 1:
        raise WrongUse(f"--pages-per-host is {options.pages_per_host}: choose 1 or more")
    if not 0 <= options.products <= MAX_PRODUCTS:
        raise WrongUse(f"--products is {options.products}: choose 0 to {MAX_PRODUCTS}")
    if not 0 <= options.topic_pages <= MAX_TOPIC_PAGES:
        raise WrongUse(f"--topic-pages is {options.topic_pages}: choose 0 to {MAX_TOPIC_PAGES}")
    check_port(options.port)
    if not 0 <= options.unreachable_robots_hosts < options.hosts:
        raise WrongUse("at least one host must have a robots.txt that can be reached")


def check_port(port: int) -> None:
    if not 0 <= port <= 65534:
        raise WrongUse(f"--port is {port}: choose 1 to 65534, or 0 for any that is free")
