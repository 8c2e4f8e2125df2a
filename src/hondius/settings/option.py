"""The command-line option of a setting, declared beside its type."""

from typing import Literal

import msgspec

Reads = Literal["value", "bytes", "seconds", "path", "rows"]
"""How a value is parsed: unchanged; as a size (10GB); as a duration (1h30m); as a file path; or as rows, where `@FILE`
stands for the lines of a file."""


class Option(msgspec.Struct, frozen=True):
    """`Annotated[TYPE, Option("--name")]` declares an option of `crawl` and `resume`. Its help is the docstring below
    the setting. The option of a list may be repeated; a Boolean setting also has a `--no-name`."""

    name: str
    reads: Reads = "value"
    is_secret: bool = False
    """The value may contain a password: never print it."""
