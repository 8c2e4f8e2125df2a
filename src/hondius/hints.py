"""Commands that messages suggest to the user, quoted for the shell."""

import os
import shlex

MEDIA_HELP = "fetch images, audio, video and documents like PDF with --media, scripts with --scripts"


def format_command(*words: object) -> str:
    """The environment variable `HONDIUS_COMMAND` replaces the bare name `hondius`, as in `make crawl`."""
    return f"{os.environ.get('HONDIUS_COMMAND', 'hondius')} {shlex.join(map(str, words))}"


def quote_command(*words: object) -> str:
    """The command in backquotes, for use within a sentence."""
    return f"`{format_command(*words)}`"


def suggest_trustworthy_log(place: object) -> str:
    """What to do if a view breaks as soon as it is rebuilt: the log is damaged or forged."""
    return (
        f"check the disk; if the log comes from a stranger, {quote_command('rebuild', place, '--salvage')} continues "
        "without frames that Hondius cannot have written"
    )


def suggest_salvage(place: object) -> str:
    """What to do about a log that is damaged or has lost frames."""
    return (
        f"put log/ back from a copy, or continue with what can be read: {quote_command('rebuild', place, '--salvage')}"
    )
