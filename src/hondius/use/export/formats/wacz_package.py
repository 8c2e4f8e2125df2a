"""The ZIP file of a WACZ: entries with their hashes, and the package that lists them."""

import hashlib
import time
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import IO, Any, BinaryIO, Self

import msgspec

from hondius import __version__

VERSION = "1.1.1"


class Package:
    """Works on streams that cannot seek. Entries may be longer than 4 GB."""

    def __init__(self, file: BinaryIO, at: float) -> None:
        self._zip = zipfile.ZipFile(file, "w")
        self._at = at
        self._resources: list[dict[str, Any]] = []

    @contextmanager
    def add(self, path: str, *, is_compressed: bool) -> Iterator["_Entry"]:
        """A new entry, listed in the package when it is complete."""
        with self._zip.open(self._make_info(path, is_compressed=is_compressed), "w", force_zip64=True) as file:
            entry = _Entry(file)
            yield entry
        name = path.rpartition("/")[2].lower()
        self._resources.append({"name": name, "path": path, "hash": entry.hash, "bytes": entry.size})

    def finish(self, *, title: str) -> None:
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._at))
        package = {
            "profile": "data-package",
            "title": title,
            "wacz_version": VERSION,
            "software": f"Hondius {__version__}",
            "created": created,
            "resources": self._resources,
        }
        data = _encode(package)
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(data).hexdigest()}"}
        for path, text in (("datapackage.json", data), ("datapackage-digest.json", _encode(digest))):
            self._zip.writestr(self._make_info(path, is_compressed=True), text)

    def _make_info(self, path: str, *, is_compressed: bool) -> zipfile.ZipInfo:
        info = zipfile.ZipInfo(path, time.gmtime(self._at)[:6])
        info.compress_type = zipfile.ZIP_DEFLATED if is_compressed else zipfile.ZIP_STORED
        info.external_attr = 0o644 << 16
        return info

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """After an error the file is abandoned: an index at its end would make it look complete."""
        if error is None:
            self._zip.close()
        else:
            self._zip.fp = None


class _Entry:
    """Hashes what is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0

    @property
    def hash(self) -> str:
        return f"sha256:{self._digest.hexdigest()}"

    def write(self, data: bytes) -> int:
        self._digest.update(data)
        self.size += len(data)
        return self._file.write(data)

    def writelines(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self.write(line)


def _encode(value: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2)
