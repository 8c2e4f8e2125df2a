"""Reads a file of rules."""

import tomllib
from pathlib import Path

from hondius.errors import BadSetting
from hondius.use.extract.rules import RuleSet, parse_rules

LARGEST = 1024 * 1024


def read_rules(path: Path) -> RuleSet:
    """Raises BadSetting, in one line that names the file."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise BadSetting(f"{path} cannot be read ({error.strerror}): name a file of rules") from None
    if len(data) > LARGEST:
        raise BadSetting(f"{path} is larger than 1 MiB: it is no file of rules")
    try:
        values = tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise BadSetting(f"{path} is no text in UTF-8: save it as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise BadSetting(f"{path} is no TOML: {error}") from None
    return parse_rules(values, str(path))
