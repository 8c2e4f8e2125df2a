"""Runs a checked query in a process of its own (`worker.py`): sends it the tables, and reads the rows.

The process has no crawl and no secrets: only the pipes, and an empty directory for what does not fit into memory. When
the time is over it is killed. DuckDB can be interrupted, too, but it does not look for that inside of a function, and
a function may take hours.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import msgspec

from hondius.errors import HondiusError
from hondius.opening import Crawl
from hondius.quantities import format_bytes
from hondius.use.export.arrow import load_arrow
from hondius.use.sql.explaining import explain_message
from hondius.use.sql.limits import Limits
from hondius.use.sql.loading import AS_ASKED, Withheld, open_table
from hondius.use.sql.statement import Statement
from hondius.use.sql.worker import Order
from hondius.use.unread_bodies import UnreadBodies

if TYPE_CHECKING:
    import pyarrow

COMMAND = (sys.executable, "-P", "-m", "hondius.use.sql.worker")
KEPT_ENVIRONMENT = (
    "PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "LANG",
    "LC_ALL",
    "SYSTEMROOT",
)
"""Anything else may be a secret."""
LONGEST_ERROR = 4_096
Show = Callable[[int], None]


class QueryRows:
    """The rows of a query, batch by batch. They are read while the process computes them."""

    def __init__(
        self, reader: "pyarrow.RecordBatchReader", process: "Process", limits: Limits, unread: UnreadBodies
    ) -> None:
        self._reader = reader
        self._process = process
        self._most = limits.rows
        self.schema: pyarrow.Schema = rename_doubles(reader.schema)
        self.is_cut = False
        """Whether there were more rows than the limit."""
        self.unread = unread
        """Pages that the query saw without their content."""

    def __iter__(self) -> Iterator["pyarrow.RecordBatch"]:
        given = 0
        while (batch := self._process.read_batch(self._reader)) is not None:
            batch = batch.rename_columns(self.schema.names)
            left = batch.num_rows if self._most is None else self._most - given
            self.is_cut = batch.num_rows > left
            given += min(left, batch.num_rows)
            if batch.num_rows and left:
                yield batch.slice(0, left)
            if self.is_cut:
                return


@contextmanager
def run_query(
    crawl: Crawl,
    statement: Statement,
    limits: Limits,
    withheld: Withheld = AS_ASKED,
    show: Show = lambda rows: None,
) -> Iterator[QueryRows]:
    """`show` is called with the number of rows that were loaded so far."""
    load_arrow()
    with (
        tempfile.TemporaryDirectory(prefix="hondius-sql-") as scratch,
        tempfile.TemporaryFile() as errors,
        Process(limits, scratch, errors) as process,
    ):
        unread = UnreadBodies()
        process.send(crawl, statement, scratch, withheld, unread, show)
        yield QueryRows(process.open_rows(), process, limits, unread)


class Process:
    """The process of one query, from its start to its end."""

    def __init__(self, limits: Limits, scratch: str, errors: IO[bytes]) -> None:
        self._limits = limits
        self._errors = errors
        self._is_late = False
        self._tables: tuple[str, ...] = ()
        self._child = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=scratch,
            env={name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ},
            start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the other
        )
        self._timer = threading.Timer(limits.seconds, self._end_late)
        self._timer.daemon = True

    def __enter__(self) -> "Process":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                continue

    def send(
        self,
        crawl: Crawl,
        statement: Statement,
        scratch: str,
        withheld: Withheld,
        unread: UnreadBodies,
        show: Show,
    ) -> None:
        limits, sink = self._limits, self._child.stdin
        assert sink is not None
        self._tables = tuple(statement.columns)
        order = Order(
            query=statement.text,
            is_explanation=statement.is_explanation,
            tables=self._tables,
            scratch=scratch,
            seconds=limits.seconds,
            memory=limits.memory,
            scratch_bytes=min(limits.scratch, shutil.disk_usage(scratch).free // 2),
            rows=limits.rows,
            result=limits.result,
        )
        loaded = 0
        try:
            sink.write(msgspec.json.encode(order) + b"\n")
            for name, columns in statement.columns.items():
                schema, batches = open_table(crawl, name, columns, withheld, unread)
                with load_arrow().ipc.new_stream(sink, schema) as writer:
                    for batch in batches if statement.needs_rows else ():
                        writer.write_batch(batch)
                        loaded += batch.num_rows
                        show(loaded)
            sink.close()
        except BrokenPipeError:
            raise self._explain_end() from None

    def open_rows(self) -> "pyarrow.RecordBatchReader":
        try:
            return load_arrow().ipc.open_stream(self._child.stdout)
        except (OSError, load_arrow().ArrowException):
            raise self._explain_end() from None

    def read_batch(self, reader: "pyarrow.RecordBatchReader") -> "pyarrow.RecordBatch | None":
        try:
            return reader.read_next_batch()
        except StopIteration:
            if self._child.wait() != 0:
                raise self._explain_end() from None
            return None
        except (OSError, load_arrow().ArrowException):
            raise self._explain_end() from None

    def _end_late(self) -> None:
        self._is_late = True
        self._child.kill()

    def _explain_end(self) -> HondiusError:
        status = self._child.wait()
        if self._is_late:
            return HondiusError(
                f"the query was stopped after {self._limits.seconds:g} seconds: make it simpler, "
                "or allow more with --seconds (in Python: seconds=)"
            )
        self._errors.seek(0)
        message = self._errors.read(LONGEST_ERROR).decode(errors="replace").strip()
        said = message.splitlines()[-1] if message else ""
        if status < 0 or "Out of Memory" in said:
            most = format_bytes(self._limits.memory)
            return HondiusError(
                f"the query needs more than {most} of memory: make it simpler, "
                "or allow more with --memory (in Python: memory=)"
            )
        if said:
            return explain_message(said, self._tables)
        return HondiusError(f"the process of the query ended with status {status}; repeat the query")


def list_rows(batch: "pyarrow.RecordBatch") -> list[dict[str, Any]]:
    """As values of Python, whose calendar ends with the year 9999."""
    try:
        rows: list[dict[str, Any]] = batch.to_pylist()
        return rows
    except (OverflowError, ValueError) as error:
        raise HondiusError(
            f"a value of the query has no form in Python ({error}): select it as text, for example with ::VARCHAR"
        ) from error


def rename_doubles(schema: Any) -> Any:
    """`SELECT a.url, b.url` has one name twice: the second becomes `url_2`."""
    names: dict[str, None] = {}
    counts: dict[str, int] = {}
    for name in schema.names:
        unique = name
        while unique in names:
            counts[name] = counts.get(name, 1) + 1
            unique = f"{name}_{counts[name]}"
        names[unique] = None
    return load_arrow().schema([field.with_name(name) for field, name in zip(schema, names, strict=True)])
