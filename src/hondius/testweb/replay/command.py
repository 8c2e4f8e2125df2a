"""Serves an archive: files, index, certificates, listeners, and the announcement."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hondius.errors import WrongUse
from hondius.testweb.access_log import AccessLog
from hondius.testweb.authority import load_authority
from hondius.testweb.command import MAX_HOSTS, check_port, open_directory, serve
from hondius.testweb.listeners import close, listen, raise_file_limit
from hondius.testweb.plan import make_address
from hondius.testweb.replay.answers import ArchivedAnswers
from hondius.testweb.replay.index import Index, build_index
from hondius.testweb.replay.records import WarcFile
from hondius.testweb.replay.server import ReplayServers


@dataclass(frozen=True)
class ReplayOptions:
    files: tuple[Path, ...]
    port: int = 0
    """The port of both schemes on the address of every host. 0 chooses a free one."""
    access_log: Path | None = None
    directory: Path | None = None
    """For the resolve file and the certificates. None: a temporary directory."""


@dataclass(frozen=True)
class RunningReplay:
    port: int
    resolve_file: Path
    ca_file: Path
    seeds: list[str]
    access_log: Path
    problems: list[str]
    """Parts of the files that could not be read and are not served."""

    @property
    def format_announcement(self) -> str:
        line = {
            "resolve": f"@{self.resolve_file}",
            "ca_file": str(self.ca_file),
            "seeds": self.seeds,
            "access_log": str(self.access_log),
            "problems": self.problems,
        }
        return msgspec.json.encode(line).decode()


def run(options: ReplayOptions, announce: Callable[[str], None]) -> None:
    """Serves until SIGINT or SIGTERM. Calls `announce` with one line of JSON when all hosts are ready."""
    asyncio.run(serve(run_replay(options), announce))


@contextlib.asynccontextmanager
async def run_replay(options: ReplayOptions) -> AsyncIterator[RunningReplay]:
    check_port(options.port)
    new_authority = load_authority()
    with _open_archives(options.files) as files:
        index = build_index(files)
        _check_index(index, files)
        addresses = {host: make_address(number) for number, host in enumerate(index.hosts, start=1)}
        with (
            _open_listeners(list(addresses.values()), options.port) as listeners,
            open_directory(options.directory) as directory,
            _open_access_log(options, directory) as (path, log),
        ):
            servers = ReplayServers(ArchivedAnswers(files, index), log)
            try:
                authority = new_authority(directory)
                contexts = authority.make_contexts(
                    [host for host, schemes in index.hosts.items() if "https" in schemes]
                )
                for host, listener in zip(addresses, listeners, strict=True):
                    servers.start(host, listener, contexts.get(host))
                port = listeners[0].getsockname()[1]
                resolve = directory / "resolve.txt"
                resolve.write_text("".join(f"{host}={address}:{port}\n" for host, address in addresses.items()))
                yield RunningReplay(port, resolve, authority.file, index.seeds(), path, _list_problems(files))
            finally:
                await servers.close()


@contextlib.contextmanager
def _open_archives(paths: Sequence[Path]) -> Iterator[list[WarcFile]]:
    with contextlib.ExitStack() as stack:
        files = []
        for path in paths:
            files.append(WarcFile(path))
            stack.callback(files[-1].close)
        yield files


def _check_index(index: Index, files: Sequence[WarcFile]) -> None:
    if not index.captures:
        names = ", ".join(str(file.path) for file in files)
        raise WrongUse(f"{names} holds no answer that can be served: name a WARC file with responses")
    if len(index.hosts) > MAX_HOSTS:
        raise WrongUse(
            f"the archive holds {len(index.hosts):,} hosts, and {MAX_HOSTS:,} can be served: name fewer files"
        )


def _list_problems(files: Sequence[WarcFile]) -> list[str]:
    return [f"{file.path} cannot be read from byte {file.torn_at}" for file in files if file.torn_at is not None]


@contextlib.contextmanager
def _open_listeners(addresses: list[str], port: int) -> Iterator[list[socket.socket]]:
    raise_file_limit(len(addresses))
    listeners = listen(addresses, port)
    try:
        yield listeners
    finally:
        close(listeners)


@contextlib.contextmanager
def _open_access_log(options: ReplayOptions, directory: Path) -> Iterator[tuple[Path, AccessLog]]:
    path = (options.access_log or directory / "access.jsonl").absolute()
    try:
        log = AccessLog(path)
    except OSError as error:
        raise WrongUse(f"cannot write {path} ({error.strerror}): choose another place for it") from None
    with log:
        yield path, log
