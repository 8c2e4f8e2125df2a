"""Which format a name means."""

from collections.abc import Sequence

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


def find_format(name: str) -> Format:
    if name not in FORMATS:
        raise BadSetting(f"unknown --format {name}; choose from {', '.join(FORMATS)}")
    return FORMATS[name]


def guess_format(output: str | None, *, is_partitioned: bool) -> Format:
    """By the name of the output; JSON lines if it has no name. Raises BadSetting if the name says nothing."""
    if is_partitioned:
        return FORMATS["parquet"]
    if output is None or output == "-":
        return FORMATS["jsonl"]
    for known in _ALL:
        if output.endswith(known.suffixes):
            return known
    if output.endswith("/"):
        raise BadSetting(f"-o {output} does not say which format to write: add --format markdown, for example")
    return FORMATS["jsonl"]
