"""Which format a name means."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from hondius.errors import BadSetting
from hondius.use.export.formats.csv import CsvFormat
from hondius.use.export.formats.format import Format
from hondius.use.export.formats.jsonl import JsonLines
from hondius.use.export.formats.markdown import MarkdownFormat
from hondius.use.export.formats.parquet import ParquetFormat
from hondius.use.export.formats.wacz import WaczFormat
from hondius.use.export.formats.warc import WarcFormat

_ALL: Sequence[Format] = (JsonLines(), CsvFormat(), ParquetFormat(), MarkdownFormat(), WarcFormat(), WaczFormat())
FORMATS = {known.name: known for known in _ALL}

_FILE_SUFFIXES = (".warc", ".json", ".gz", ".zip", ".xlsx", ".txt", ".md")
"""Of files that no format writes, or not under that name."""

_OTHER_SUFFIXES = {"jsonl": (".json", ".json.gz"), "markdown": (".md",), "warc": (".warc",)}
"""Suffixes that stand for a format without being those of its files."""


def find_format(name: str) -> Format:
    if name not in FORMATS:
        raise BadSetting(f"unknown --format {name}; choose from {', '.join(FORMATS)}")
    return FORMATS[name]


def choose_format(name: str | None, output: str | None, *, is_partitioned: bool) -> Format:
    """By its name; without one, by the name of the output. Raises BadSetting if the two contradict each other."""
    if name is None:
        return guess_format(output, is_partitioned=is_partitioned)
    chosen = find_format(name)
    meant = _find_by_suffix(output or "")
    if meant is not None and meant is not chosen:
        raise BadSetting(
            f"-o {output} is a name for {meant.name}, but --format is {name}: write --format {meant.name}, "
            f"or choose another name"
        )
    return chosen


def _find_by_suffix(output: str) -> Format | None:
    """The format that a suffix stands for, whether or not its files may have that name."""
    lowered = output.lower()
    for known in _ALL:
        if lowered.endswith((*known.suffixes, *_OTHER_SUFFIXES.get(known.name, ()))):
            return known
    return None


def guess_format(output: str | None, *, is_partitioned: bool) -> Format:
    """By the name of the output; JSON lines if it has no name, or no suffix. Raises BadSetting for other names."""
    if is_partitioned:
        return FORMATS["parquet"]
    if output is None or output == "-":
        return FORMATS["jsonl"]
    for known in _ALL:
        if output.endswith(known.suffixes):
            return known
    if output.endswith("/"):
        raise BadSetting(f"-o {output} does not say which format to write: add --format markdown, for example")
    if suffix := PurePosixPath(output).suffix:
        suffixes = ", ".join(suffix for known in _ALL for suffix in known.suffixes[:1])
        raise BadSetting(f"no format has files that end in {suffix}: end -o {output} in {suffixes}, or add --format")
    return FORMATS["jsonl"]


def refuse_file_name(output: str | None) -> None:
    """Raises BadSetting if a directory of Parquet files would get the name of a file of another format. `x.parquet` is
    allowed: other programs name such directories so."""
    others = (suffix for known in _ALL if known.name != "parquet" for suffix in known.suffixes)
    if output is not None and output.endswith((*others, *_FILE_SUFFIXES)):
        raise BadSetting(f"--partition-by writes a directory of Parquet files: -o {output} is the name of a file")
