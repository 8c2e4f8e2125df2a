"""A DuckDB connection that can open no file, load no extension and change no setting."""

from typing import TYPE_CHECKING, Any

from hondius.use.extras import import_extra
from hondius.use.sql.limits import Limits, count_threads

if TYPE_CHECKING:
    import duckdb


def load_duckdb() -> Any:
    return import_extra("duckdb", "sql", "answers SQL queries")


def connect(limits: Limits, scratch: str = "") -> "duckdb.DuckDBPyConnection":
    """In memory. `scratch`: a private directory for what does not fit there; empty: nothing is written. DuckDB lets
    itself use that directory, and nothing else."""
    connection: duckdb.DuckDBPyConnection = load_duckdb().connect(
        ":memory:",
        config={
            "enable_external_access": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "allow_unsigned_extensions": "false",
            "allow_persistent_secrets": "false",
            "python_enable_replacements": "false",
            "memory_limit": f"{limits.memory}B",
            "max_temp_directory_size": f"{limits.scratch}B",
            "temp_directory": scratch,
            "threads": str(count_threads()),
        },
    )
    connection.execute("SET lock_configuration = true")
    return connection


def shorten_error(error: BaseException) -> str:
    """DuckDB repeats the query below its message; a message here is one line."""
    return " ".join(str(error).partition("\n\nLINE ")[0].split())[:1_000]
