"""Objects of an S3 bucket.

Credentials, region and endpoint come from the environment only (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
`AWS_REGION`, `AWS_ENDPOINT_URL`, …), never from an argument that a shell would remember. Without them nothing is
contacted: the library would ask the metadata service of a cloud at a link-local address. An object is uploaded in
parts, and exists when the last part is there. If the export fails, the upload is aborted, and objects that it already
made are deleted.
"""

import io
import os
import queue
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, BinaryIO, Self, cast

from hondius.errors import HondiusError, WrongUse
from hondius.use.extras import import_extra

PART_BYTES = 8 * 1024 * 1024
PARTS_AT_ONCE = 4
KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
WEB_IDENTITY = ("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN")
"""Instead of keys, for example on Kubernetes."""
WAITING_PARTS = 2
"""Parts that wait in memory for a slow upload."""
_END = b""


class S3Target:
    is_stream = False

    def __init__(self, url: str, *, is_directory: bool) -> None:
        self._obstore: Any = import_extra("obstore", "s3", "writes to S3")
        bucket, _, path = url.removeprefix("s3://").partition("/")
        if not bucket or (not is_directory and (not path or path.endswith("/"))):
            wanted = "s3://BUCKET/PREFIX" if is_directory else "s3://BUCKET/NAME"
            raise WrongUse(f"{url} names no place for this format: write {wanted}")
        self.name = url
        directory, _, name = path.rpartition("/")
        self.main = "" if is_directory else name
        self._prefix = path.strip("/") if is_directory else directory
        self._made: list[str] = []
        _refuse_missing_credentials(url)
        with self._translate_errors():
            self._store = self._obstore.store.S3Store(bucket, client_options={"allow_http": _allows_http()})
            if is_directory and self._prefix:
                self._refuse_objects()

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        path = f"{self._prefix}/{name}" if self._prefix else name
        with self._translate_errors(), ThreadPoolExecutor(1, "hondius-upload") as thread:
            into = _Parts()
            upload = thread.submit(self._upload, path, into)
            into.upload = upload
            try:
                yield cast("BinaryIO", into)
                into.end()
            except BaseException:
                into.abort()
                raise
            upload.result()
            self._made.append(path)

    def _upload(self, path: str, written: "_Parts") -> None:
        self._obstore.put(
            self._store, path, written.parts(), use_multipart=True, chunk_size=PART_BYTES, max_concurrency=PARTS_AT_ONCE
        )

    def _refuse_objects(self) -> None:
        """An export that fails deletes what it made, so it must not replace anything."""
        if next(iter(self._obstore.list(self._store, prefix=self._prefix, chunk_size=1)), None):
            raise WrongUse(f"{self.name} is not empty: choose a new prefix, or delete its objects first")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self._made:
            with suppress(self._obstore.exceptions.BaseError):
                self._obstore.delete(self._store, self._made)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except self._obstore.exceptions.BaseError as error:
            reason = _shorten(str(error))
            raise HondiusError(
                f"{self.name} cannot be written ({reason}): check the bucket, and AWS_ACCESS_KEY_ID, "
                "AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL in the environment"
            ) from error


class _Aborted(Exception):
    """Raised into the upload, which then aborts."""


class _Parts(io.RawIOBase):
    """A file for the exporting thread; `parts` is for the uploading thread."""

    upload: Future[None]

    def __init__(self) -> None:
        super().__init__()
        self._queue: queue.Queue[bytes | None] = queue.Queue(WAITING_PARTS)
        self._buffer = bytearray()
        self._written = 0

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        self._buffer += data
        self._written += size
        if len(self._buffer) >= PART_BYTES:
            self._put(bytes(self._buffer))
            self._buffer.clear()
        return size

    def tell(self) -> int:
        return self._written

    def writable(self) -> bool:
        return True

    def end(self) -> None:
        if self._buffer:
            self._put(bytes(self._buffer))
        self._put(_END)

    def abort(self) -> None:
        """Ends the upload, unless it has already failed."""
        with suppress(Exception):
            self._put(None)

    def _put(self, part: bytes | None) -> None:
        """If the upload has failed, raises its error instead of waiting for room."""
        while True:
            try:
                return self._queue.put(part, timeout=0.05)
            except queue.Full:
                if self.upload.done():
                    return self.upload.result()

    def parts(self) -> Iterator[bytes]:
        while (part := self._queue.get()) != _END:
            if part is None:
                raise _Aborted
            yield part


def _refuse_missing_credentials(url: str) -> None:
    missing = [name for name in KEYS if not os.environ.get(name)]
    if missing and not all(os.environ.get(name) for name in WEB_IDENTITY):
        verb = "is" if len(missing) == 1 else "are"
        raise WrongUse(f"{url} needs credentials: {' and '.join(missing)} {verb} not set in the environment")


def _allows_http() -> bool:
    """Only an endpoint that the user wrote as http:// is contacted without TLS."""
    return any(os.environ.get(name, "").startswith("http://") for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT"))


def _shorten(text: str) -> str:
    return " ".join(text.split())[:200]
