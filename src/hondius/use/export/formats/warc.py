"""WARC: the records of the selected pages, in one file, with a CDXJ index beside it."""

import time

from msgspec.structs import replace

from hondius.errors import BadSetting
from hondius.model import PageFilter
from hondius.use.content import Contents
from hondius.use.export.formats.format import Job, Partition
from hondius.use.export.records import RecordSource, read_or_report
from hondius.use.export.sorted_lines import SortedLines
from hondius.use.export.targets import Target
from hondius.use.export.warc_file import make_information

SUFFIX = ".warc.gz"


class WarcFormat:
    name = "warc"
    suffixes: tuple[str, ...] = (SUFFIX,)
    columns: tuple[str, ...] = ()
    unit = "URL"
    is_binary = True

    def check(self) -> None:
        """Needs no package."""

    def makes_directory(self, partition_by: Partition | None) -> bool:
        if partition_by is not None:
            raise BadSetting("--partition-by needs --format parquet; warc is one file")
        return False

    def narrow(self, selected: PageFilter, *, noindex: bool, copies: bool | None) -> PageFilter:
        return leave_out_noindex(selected, noindex=noindex)

    def write(self, job: Job, target: Target) -> None:
        name = target.main or f"hondius-export{SUFFIX}"
        if not name.endswith(SUFFIX):
            raise BadSetting(f"{name} is no name of a WARC file: its name must end in {SUFFIX}")
        with SortedLines() as lines:
            _write_records(job, target, name, lines)
            if not target.is_stream:
                with target.open(f"{name.removesuffix(SUFFIX)}.cdxj") as file:
                    file.writelines(lines)


def _write_records(job: Job, target: Target, name: str, lines: SortedLines) -> None:
    source = RecordSource(job.crawl.archive, Contents(job.crawl), job.is_withheld)
    with target.open(name) as file:
        offset = file.write(make_information(job.crawl, name, time.time()))
        for page in job.pages("archive"):
            if page["warc_file"] is None:
                return
            records = read_or_report(source, page, name, offset)
            for record in records or ():
                offset += file.write(record.data)
                lines.add(record.entry.cdxj or "")
            job.tally.count_records(page, records)


def leave_out_noindex(selected: PageFilter, *, noindex: bool) -> PageFilter:
    """A record is content, so pages that ask not to be indexed are left out unless they are asked for (D4)."""
    return selected if noindex else replace(selected, noindex=False)
