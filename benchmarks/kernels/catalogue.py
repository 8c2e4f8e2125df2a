"""Which kernels there are, and how each is run: a program that is given a number of laps and says how many operations
those were (`native/benches/kernels/main.rs` tells the options)."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kernels import build
from benchmarks.site.markup import html_of
from benchmarks.site.plan import decode_pages

PAGE_SIZE = 50_000
PAGE_HOST = 4


@dataclass(frozen=True)
class Kernel:
    name: str
    operation: str
    laps: int
    """Counted over so many, which a plant of 15 % divides evenly: a multiple of 20."""
    in_python: bool = False


KERNELS = (
    Kernel("analyse", "a 50 KB page: decoded, links, text, hashes", 20),
    Kernel("key", "a URL parsed, its key form and key", 200),
    Kernel("robots_typical", "a path against 16 rules", 400),
    Kernel("robots_large", "a path against 3,016 rules", 20),
    Kernel("warc_plain", "a fetch as records, body compressed", 20),
    Kernel("warc_coded", "a fetch as records, body came compressed", 20),
    Kernel("url_store", "80 links admitted, their frame applied, one taken", 20),
    Kernel("log_append", "a frame of 1,000 endings encoded and appended", 20, in_python=True),
)


@dataclass(frozen=True)
class Programs:
    """What runs kernels. The native program is built only where one of its kernels is wanted."""

    native: Path | None
    page: Path

    def command(self, kernel: Kernel, laps: int, *options: str) -> list[str]:
        if kernel.in_python:
            return [sys.executable, "-m", f"benchmarks.kernels.{kernel.name}", str(laps), *options]
        return [str(self.native), str(self.page), kernel.name, str(laps), *options]


@contextmanager
def programs(kernels: tuple[Kernel, ...]) -> Iterator[Programs]:
    native = None if all(kernel.in_python for kernel in kernels) else build.program()
    with tempfile.TemporaryDirectory(prefix="hondius-kernels-") as directory:
        page = Path(directory) / "page.html"
        page.write_bytes(the_page())
        yield Programs(native, page)


def the_page() -> bytes:
    """The first of its size on a host of the benchmark site."""
    return html_of(next(page for page in decode_pages(PAGE_HOST) if page.size == PAGE_SIZE))
