"""The entry point: finds the command, and turns every error into one line and an exit status."""

import os
import sys
import traceback
from collections.abc import Sequence

import typer

from hondius import __version__
from hondius.errors import HondiusError
from hondius.native import NativeError, PanicException, give_large_blocks_back
from hondius.operate.cli import (
    audit,
    bench,
    blacklist,
    config,
    crawl,
    explain,
    export,
    parse,
    pause,
    rebuild,
    recrawl,
    resume,
    robots,
    seeds,
    status,
    streams,
    testweb,
    unpause,
    url,
    verify,
)
from hondius.operate.cli.misuse import in_words

CLICK_ERROR: type[Exception] = typer.BadParameter.__mro__[2]
"""typer carries its own click; this is the root of what it raises for wrong use."""
FOR_ITS_OWN_SAKE = ("crawl", "resume", "rebuild", "recrawl", "blacklist", "pause", "unpause", "config", "seeds")
"""Commands that go on when nobody reads what they say: they are not run for that."""
TOO_LITTLE = (
    "the system gives no more memory or threads: raise the limit (`ulimit -v`, `ulimit -u`, that of a container) or "
    "lower --concurrency; nothing durable is lost, and the same command goes on"
)

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A web crawler that is fast, durable, provably polite and easy.",
)
for command in (
    crawl,
    resume,
    status,
    export,
    explain,
    audit,
    verify,
    rebuild,
    blacklist,
    recrawl,
    config,
    seeds,
    pause,
    unpause,
    url,
    robots,
    parse,
    testweb,
    bench,
):
    command.register(app)


@app.callback(invoke_without_command=True)
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
        status = app(list(arguments), standalone_mode=False, prog_name="hondius")
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
    return first if first in {command.name for command in app.registered_commands} else ""
