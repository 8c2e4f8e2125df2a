"""The command-line option of a setting, declared beside its type."""

from typing import Literal

import msgspec

Reads = Literal["value", "bytes", "seconds", "path", "rows"]
"""How a value is read from text: as it is; as a size (10GB); as a duration (1h30m); as the path of a file; as rows, of
which `@FILE` stands for those of a file."""


class Option(msgspec.Struct, frozen=True):
    """`Annotated[TYPE, Option("--name")]` makes an option of `crawl` and `resume`. Its help is the docstring below the
    setting; a list may be given several times, and a setting that is true or false has a `--no-name`, too."""

    name: str
    reads: Reads = "value"
    is_secret: bool = False
    """Its value may be a password: it is never shown."""
