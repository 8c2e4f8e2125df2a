"""The entry point: finds the command, and turns every error into one line and an exit status."""

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

import typer

from hondius import __version__
from hondius.errors import HondiusError
from hondius.native import NativeError, PanicException, give_large_blocks_back
from hondius.operate.cli import streams
from hondius.operate.cli.misuse import in_words

CLICK_ERROR: type[Exception] = typer.BadParameter.__mro__[2]
"""typer carries its own click; this is the root of what it raises for wrong use."""
FOR_ITS_OWN_SAKE = ("crawl", "resume", "rebuild", "recrawl", "blacklist", "pause", "unpause", "config", "seeds")
"""Commands that go on when nobody reads what they say: they are not run for that."""
TOO_LITTLE = (
    "the system gives no more memory or threads: raise the limit (`ulimit -v`, `ulimit -u`, that of a container) or "
    "lower --concurrency; nothing durable is lost, and the same command goes on"
)

COMMANDS = (
    *("crawl", "resume", "status", "export", "explain", "audit", "verify", "rebuild", "blacklist", "recrawl"),
    *("config", "seeds", "pause", "unpause", "url", "robots", "parse", "testweb", "bench"),
)
"""In the order of `--help`. Each is in the file of its name."""


def load(arguments: Sequence[str]) -> list[ModuleType]:
    """Imports the command that the arguments name, or all where they name none: to import all of them and make their
    options would take a sixth of what a start takes."""
    named = _command(arguments)
    return [import_module(f"hondius.operate.cli.{name}") for name in ((named,) if named else COMMANDS)]


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
    streams.open_closed()
    streams.show_everything()
    give_large_blocks_back()
    arguments = sys.argv[1:]
    streams.outlive_readers(of_output=_command(arguments) in FOR_ITS_OWN_SAKE)
    if not _asks_for_help(arguments):  # which comes in colours of typer's own
        streams.make_harmless()
    status = run(arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return status or streams.READER_GONE
    except OSError as error:
        return status or _say(f"standard output cannot be written: {error.strerror}", 1)
    return status


def run(arguments: Sequence[str]) -> int:
    try:
        status = make_app(arguments)(list(arguments), standalone_mode=False, prog_name="hondius")
    except HondiusError as error:
        return _say(str(error), error.exit_status)
    except NativeError as error:
        return _say(str(error), 1)
    except CLICK_ERROR as error:
        of_command = f"{_command(arguments)} ".lstrip()
        words = in_words(error)
        return _say(f"{words}{' See' if words.endswith('?') else '; see'} `hondius {of_command}--help`", 2)
    except (KeyboardInterrupt, typer.Abort):
        return _say("interrupted; the same command goes on", 130)
    except (BrokenPipeError, SystemExit):  # `rich` makes the one of the other
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return streams.READER_GONE
    except OSError as error:
        return _say(f"{error.filename or 'the output'} cannot be written or read: {error.strerror or error}", 1)
    except MemoryError:
        return _say(TOO_LITTLE, 1)
    except (Exception, PanicException) as error:
        if isinstance(error, RuntimeError) and "start new thread" in str(error):
            return _say(TOO_LITTLE, 1)
        if os.environ.get("HONDIUS_DEBUG"):
            traceback.print_exc()
        return _say(
            f"internal error: {type(error).__name__}: {error}; "
            "nothing durable is lost: run the same command again, and report it with HONDIUS_DEBUG=1",
            1,
        )
    return status if isinstance(status, int) else 0


def _say(message: str, status: int) -> int:
    print("hondius: " + " ".join(message.split()), file=sys.stderr)
    return status


def _asks_for_help(arguments: Sequence[str]) -> bool:
    return not arguments or "--help" in arguments or "-h" in arguments


def _command(arguments: Sequence[str]) -> str:
    """Empty: none that is known."""
    first = next((text for text in arguments if not text.startswith("-")), "")
    return first if first in COMMANDS else ""
