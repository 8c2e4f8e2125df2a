"""S3, S4, S10: log, views and archive agree, and a rebuild gives the same."""

from collections.abc import Iterator
from pathlib import Path

from hondius.native import Identity
from hondius.ports import Stores, find_position
from hondius.stores.catalog.embedded import EmbeddedCatalog
from hondius.use.verify.archive import check_archive
from hondius.use.verify.catalog import check_catalog
from hondius.use.verify.links import check_links
from hondius.use.verify.reference import open_reference
from hondius.use.verify.report import Report
from hondius.use.verify.urls import check_urls


def check_storage(stores: Stores, identity: Identity, directory: Path) -> Iterator[str]:
    """`hondius verify`, on the simulated machine. The links of each page are stored."""
    report = Report()
    disk, log, urls, catalog = stores.place.disk, stores.log, stores.urls, stores.catalog
    for name, applied in (("urls", find_position(urls)), (catalog.name, catalog.position)):
        if applied != log.end:
            yield f"{name} stands at {applied} and the log at {log.end}"
    assert isinstance(catalog, EmbeddedCatalog)
    with open_reference(log, directory) as reference:
        reference.advance(log.end.frames)
        check_catalog(catalog, reference.catalog, "", report)
        check_archive(disk, reference.catalog, report)
        check_links(disk, reference.catalog, identity, report)
        check_urls(log, urls, reference.catalog, "", report)
        if missing := reference.catalog.count_without_links():
            yield f"the links of {missing} pages are not kept"
    if not report.clean:
        yield from (line for line in report.format_lines() if line.startswith("problem"))
