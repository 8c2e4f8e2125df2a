"""The access log: one JSON object for each request, in the order in which the answers ended."""

import asyncio
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

FLUSH_SECONDS = 0.05
GONE = 0


class Access(msgspec.Struct, frozen=True):
    time: float
    """When the complete answer was passed to the connection; wall clock, seconds."""
    started: float
    """When the first octet of the request arrived."""
    address: str
    """The address of the server."""
    host: str
    """The host as named in the request."""
    url: str
    user_agent: str
    status: int
    """`GONE` if the client disconnected before its answer; `time` is when it did."""
    resource: str
    """Id of the resource in the manifest; empty if the plan has none."""


class AccessLog:
    """Writes each line at most `FLUSH_SECONDS` after its answer, and all lines on close."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)
        self._lines: list[bytes] = []
        self._encoder = msgspec.json.Encoder()
        self._timer: asyncio.TimerHandle | None = None

    def write(self, access: Access) -> None:
        self._lines.append(self._encoder.encode(access))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._lines:
            self._file.write(b"\n".join([*self._lines, b""]))
            self._lines.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flush()
        self._file.close()


def read_access_log(path: Path) -> list[Access]:
    with path.open("rb") as lines:
        return [msgspec.json.decode(line, type=Access) for line in lines]
