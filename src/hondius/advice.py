"""What a user may type next, as messages name it: with the directory at hand, quoted for the shell."""

import os
import shlex


def typed(*words: object) -> str:
    """`HONDIUS_COMMAND` is how this Hondius was called, where that is not its bare name."""
    return f"{os.environ.get('HONDIUS_COMMAND', 'hondius')} {shlex.join(map(str, words))}"


def command(*words: object) -> str:
    """Within a sentence."""
    return f"`{typed(*words)}`"


def to_trust(place: object) -> str:
    """For a view that is broken as soon as it is made: what it is made of is damaged, or was made up."""
    return (
        f"look at the disk; if the log comes from a stranger, {command('rebuild', place, '--salvage')} goes on without "
        "what Hondius cannot have written"
    )


def to_salvage(place: object) -> str:
    """For a log that is damaged or has lost frames."""
    return f"put log/ back from a copy, or go on with what can be read: {command('rebuild', place, '--salvage')}"
