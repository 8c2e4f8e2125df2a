"""Commands that messages suggest to the user, quoted for the shell."""

import os
import shlex


def format_command(*words: object) -> str:
    """The environment variable `HONDIUS_COMMAND` replaces the bare name `hondius`, as in `make crawl`."""
    return f"{os.environ.get('HONDIUS_COMMAND', 'hondius')} {shlex.join(map(str, words))}"


def quote_command(*words: object) -> str:
    """The command in backquotes, for use within a sentence."""
    return f"`{format_command(*words)}`"


def suggest_salvage(place: object) -> str:
    """What to do about a log that is damaged or has lost frames."""
    return f"put log/ back from a copy, or go on with what can be read: {quote_command('rebuild', place, '--salvage')}"
