"""The process that runs one query: `python -m hondius.use.sql.worker`.

It reads an `Order` as a line of JSON from standard input, then one Arrow stream for each table. It writes the rows as
one Arrow stream to standard output. If it fails, it writes one line to standard error, and its exit status is 1. It
ends by itself if nobody ends it.
"""

import math
import resource
import signal
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from hondius.use.sql.engine import connect, shorten_error
from hondius.use.sql.limits import Limits

if TYPE_CHECKING:
    import duckdb

LONGEST_ORDER = 1 << 20
GRACE = 5
"""Seconds after its time in which the starter ends this process."""
HEADROOM = 1 << 30
"""Bytes of code, stacks and buffers outside of DuckDB's own account. Values that a function makes are not in that
account either: the system refuses memory beyond this."""
BATCH_ROWS = 5_000


class Order(msgspec.Struct, frozen=True):
    query: str
    is_explanation: bool
    tables: tuple[str, ...]
    scratch: str
    seconds: float
    memory: int
    scratch_bytes: int
    rows: int | None
    result: int | None


def main() -> int:
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    order = msgspec.json.decode(source.readline(LONGEST_ORDER), type=Order)
    signal.alarm(math.ceil(order.seconds) + GRACE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        connection = connect(Limits(memory=order.memory, scratch=order.scratch_bytes), order.scratch)
        _load_tables(connection, order, source)
        _cap_memory(order.memory + HEADROOM)
        _run(connection, order, sink)
    except MemoryError:
        return _fail("Out of Memory Error: a value is too large")
    except Exception as error:
        return _fail(shorten_error(error))
    return 0


def _fail(message: str) -> int:
    sys.stderr.write(f"{message}\n")
    return 1


def _load_tables(connection: "duckdb.DuckDBPyConnection", order: Order, source: BinaryIO) -> None:
    """Copies them: a query may read a table twice, and a stream can be read once."""
    import pyarrow

    for table in order.tables:
        connection.register("incoming", pyarrow.ipc.open_stream(source))
        connection.execute(f"CREATE TABLE {table} AS SELECT * FROM incoming")
        connection.unregister("incoming")


def _cap_memory(most: int) -> None:
    """Counts private writable memory. Systems that do not enforce it have DuckDB's own limit alone."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _run(connection: "duckdb.DuckDBPyConnection", order: Order, sink: BinaryIO) -> None:
    import pyarrow

    size = BATCH_ROWS if order.rows is None else min(BATCH_ROWS, order.rows + 1)
    reader = _open_reader(connection, order, size)
    sent = 0
    with pyarrow.ipc.new_stream(sink, reader.schema) as writer:
        for batch in reader:
            sent += batch.nbytes
            if order.result is not None and sent > order.result:
                raise OverflowError(f"the rows have more than {order.result:,} bytes: select fewer, or shorter values")
            writer.write_batch(batch)
    sink.flush()


def _open_reader(connection: "duckdb.DuckDBPyConnection", order: Order, size: int) -> Any:
    """A relation gives its rows as they are computed; `execute` computes all of them first, so that an endless query
    never gives one. An EXPLAIN is no relation, and its rows are few."""
    if order.is_explanation:
        return connection.execute(order.query).to_arrow_reader(size)
    relation = connection.sql(order.query)
    return (relation if order.rows is None else relation.limit(order.rows + 1)).to_arrow_reader(size)


if __name__ == "__main__":
    sys.exit(main())
