"""Damages the archived record of one page."""

from pathlib import Path

from hondius.opening import open_crawl


def damage_record(name: Path, url: str) -> None:
    """Of a crawl directory that no process has open."""
    with open_crawl(name) as crawl:
        row = next(row for row in crawl.catalog.pages() if row["url"] == url)
    archive = name / "warc" / row["warc_file"]
    data = bytearray(archive.read_bytes())
    middle = row["warc_offset"] + row["warc_length"] // 2
    data[middle : middle + 8] = b"\xff" * 8
    archive.unlink()  # another inode: a file that is mapped stays as it was
    archive.write_bytes(data)
