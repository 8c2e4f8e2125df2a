"""Certificates of the addresses that serve the site: clients that are measured by HTTPS check them."""

from pathlib import Path

from benchmarks.site.plan import host_address
from hondius.testweb.certificates import Authority

AUTHORITY = "ca.pem"


def certificates(directory: Path, hosts: int) -> Path:
    """Made in `directory`, at each start of a server: nothing secret outlives it, and nothing expires. Each names one
    address, so that all handshakes are of one size."""
    directory.mkdir(parents=True, exist_ok=True)
    authority = Authority(directory)
    for address in map(host_address, range(hosts)):
        authority.write_certificate([address])
    return directory


def file_of(directory: Path, address: str) -> Path:
    """Key and certificate of one host."""
    return directory / f"{address}.pem"
