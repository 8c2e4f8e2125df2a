"""The entry point: runs the command, and turns every error into one line and an exit status."""

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import typer

from hondius import __version__
from hondius.errors import HondiusError
from hondius.native import NativeError, PanicException, give_large_blocks_back
from hondius.operate.cli import streams
from hondius.operate.cli.usage_errors import describe_usage_error

CLICK_ERROR: type[Exception] = typer.BadParameter.__mro__[2]
"""typer bundles its own copy of click; this is the base class of its usage errors."""
RUN_WITHOUT_READER = (
    "crawl",
    "resume",
    "import",
    "rebuild",
    "recrawl",
    "blacklist",
    "pause",
    "unpause",
    "config",
    "seeds",
)
"""Commands that continue when their output is closed: printing is not their purpose."""
OUT_OF_RESOURCES = (
    "the system provides no more memory or threads: raise the limit (`ulimit -v`, `ulimit -u`, that of the container) "
    "or lower --concurrency; nothing durable is lost, and the same command continues"
)

COMMANDS = (
    *("crawl", "resume", "import", "status", "search", "export", "extract", "sql", "explain", "report", "rank"),
    *("replay", "changes", "diff", "audit", "verify", "rebuild", "retain", "blacklist", "recrawl", "config", "seeds"),
    *("consumers", "pause", "unpause", "mcp", "url", "robots", "parse", "testweb", "bench"),
)
"""In the order of `--help`. Each is in the file of its name, but for those of `FILES`."""
FILES = {"import": "import_archive"}
"""A keyword of Python cannot be the name of a module."""


def load(arguments: Sequence[str]) -> list[ModuleType]:
    """Imports the command that the arguments name, or all commands if they name none. Importing all of them would take
    a sixth of the time of a start."""
    named = _find_command(arguments)
    names = (named,) if named else COMMANDS
    return [import_module(f"hondius.operate.cli.{FILES.get(name, name)}") for name in names]


def make_app(arguments: Sequence[str]) -> typer.Typer:
    app = typer.Typer(
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="A web crawler that is fast, durable, provably polite and easy.",
    )
    app.callback(invoke_without_command=True)(root)
    for command in load(arguments):
        command.register(app)
    return app


def make_command(arguments: Sequence[str]) -> Any:
    """The command of typer, with help texts that rich prints as they are: it would take `[search]` for markup."""
    command: Any = typer.main.get_command(make_app(arguments))
    if _asks_for_help(arguments):
        from rich.markup import escape

        for one in (command, *command.commands.values()):
            for shown in (one, *one.params):
                shown.help = escape(shown.help or "")
    return command


def root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    if version:
        print(f"hondius {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit


def main() -> int:
    streams.open_closed_streams()
    streams.escape_undecodable_names()
    give_large_blocks_back()
    arguments = sys.argv[1:]
    streams.ignore_closed_pipes(standard_output=_find_command(arguments) in RUN_WITHOUT_READER)
    if not _asks_for_help(arguments):  # typer colours its help itself
        streams.escape_terminal_controls()
    status = run(arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return status or streams.BROKEN_PIPE_STATUS
    except OSError as error:
        return status or _report(f"standard output cannot be written: {error.strerror}", 1)
    return status


def run(arguments: Sequence[str]) -> int:
    try:
        status = make_command(arguments)(list(arguments), standalone_mode=False, prog_name="hondius")
    except HondiusError as error:
        return _report(str(error), error.exit_status)
    except NativeError as error:
        return _report(str(error), 1)
    except CLICK_ERROR as error:
        of_command = f"{_find_command(arguments)} ".lstrip()
        words = describe_usage_error(error)
        return _report(f"{words}{' See' if words.endswith('?') else '; see'} `hondius {of_command}--help`", 2)
    except (KeyboardInterrupt, typer.Abort):
        return _report("interrupted; the same command continues", 130)
    except (BrokenPipeError, SystemExit):  # `rich` turns BrokenPipeError into SystemExit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return streams.BROKEN_PIPE_STATUS
    except OSError as error:
        return _report(f"{error.filename or 'the output'} cannot be written or read: {error.strerror or error}", 1)
    except MemoryError:
        return _report(OUT_OF_RESOURCES, 1)
    except (Exception, PanicException) as error:
        if isinstance(error, RuntimeError) and "start new thread" in str(error):
            return _report(OUT_OF_RESOURCES, 1)
        if os.environ.get("HONDIUS_DEBUG"):
            traceback.print_exc()
        return _report(
            f"internal error: {type(error).__name__}: {error}; "
            "nothing durable is lost: run the same command again with HONDIUS_DEBUG=1, and report the traceback",
            1,
        )
    return status if isinstance(status, int) else 0


def _report(message: str, status: int) -> int:
    print("hondius: " + " ".join(message.split()), file=sys.stderr)
    return status


def _asks_for_help(arguments: Sequence[str]) -> bool:
    return not arguments or "--help" in arguments or "-h" in arguments


def _find_command(arguments: Sequence[str]) -> str:
    """The name of the command; empty if it is unknown."""
    first = next((text for text in arguments if not text.startswith("-")), "")
    return first if first in COMMANDS else ""
