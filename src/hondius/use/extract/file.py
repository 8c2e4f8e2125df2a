"""Reads a file of rules."""

import tomllib
from pathlib import Path

from hondius.errors import BadSetting
from hondius.use.extract.rules import RuleSet, parse_rules

LARGEST = 1024 * 1024
LONGEST_LINE = 4_000
"""Bytes. The parser of TOML takes time that grows with the square of the length of a key, such as `a.a.a.a`."""


def read_rules(path: Path) -> RuleSet:
    """Raises BadSetting, in one line that names the file."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise BadSetting(f"{path} cannot be read ({error.strerror}): name a file of rules") from None
    if len(data) > LARGEST:
        raise BadSetting(f"{path} is larger than 1 MiB: it is no file of rules")
    if max(map(len, data.splitlines()), default=0) > LONGEST_LINE:
        raise BadSetting(f"{path} has a line of more than {LONGEST_LINE:,} bytes: break it, or shorten the rule")
    try:
        values = tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise BadSetting(f"{path} is no text in UTF-8: save it as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise BadSetting(f"{path} is no TOML: {error}") from None
    return parse_rules(values, str(path))
