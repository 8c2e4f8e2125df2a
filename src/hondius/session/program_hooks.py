"""The note `hooks.json`: the hooks that the last run by a Python program had.

Only that program has them: a run by the command, or by another program, warns that it does not. The note is not part of
the durable state: if it is lost, no run warns.
"""

from collections.abc import Sequence

import msgspec

from hondius.ports import Place
from hondius.sanitise import make_printable

FILE = "hooks.json"
LARGEST = 64 * 1024
SHOWN = 5
INSTEAD = "run that program again instead"


def note_program_hooks(place: Place, hooks: Sequence[str]) -> None:
    """`hooks`: kind and name of each, like `extract price`."""
    place.write_note(FILE, msgspec.json.encode(hooks))


def read_program_hooks(place: Place) -> list[str]:
    """Empty if no run had any."""
    written = place.read_note(FILE, LARGEST)
    try:
        return [] if written is None else msgspec.json.decode(written, type=list[str])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []


def describe_program_hooks(hooks: Sequence[str]) -> str:
    more = f" and {len(hooks) - SHOWN:,} more" if len(hooks) > SHOWN else ""
    return f"an earlier run had hooks of a Python program ({make_printable(', '.join(hooks[:SHOWN]))}{more})"
