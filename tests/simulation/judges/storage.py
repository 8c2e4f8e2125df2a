"""S3, S4, S10: log, views and archive agree, and a rebuild gives the same."""

from collections.abc import Iterator
from pathlib import Path

from hondius.ports import Catalog, Disk, Log, UrlStore, applied_by
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.use.verify.archive import check_archive
from hondius.use.verify.catalog import check_catalog
from hondius.use.verify.report import Report
from hondius.use.verify.twin import open_twin
from hondius.use.verify.urls import check_urls


def check_storage(disk: Disk, log: Log, urls: UrlStore, catalog: Catalog, directory: Path) -> Iterator[str]:
    """`hondius verify`, on the simulated machine."""
    report = Report()
    for name, applied in (("urls", applied_by(urls)), (catalog.name, catalog.position)):
        if applied != log.end:
            yield f"{name} stands at {applied} and the log at {log.end}"
    assert isinstance(catalog, EmbeddedCatalog)
    with open_twin(log, directory) as twin:
        twin.advance(log.end.frames)
        check_catalog(catalog, twin.catalog, "", report)
        check_archive(disk, twin.catalog, report)
        check_urls(log, urls, twin.catalog, "", report)
    if not report.clean:
        yield from (line for line in report.lines() if line.startswith("problem"))
