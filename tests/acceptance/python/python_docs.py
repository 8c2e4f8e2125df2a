"""The pages of Debian's package `python3-doc`: a large manual by Sphinx, installed through apt if this is root."""

import os
import shutil
import subprocess
from pathlib import Path

PACKAGE = "python3-doc"
DOCUMENTS = Path("/usr/share/doc")


class NoPages(Exception):
    """The package is missing and cannot be installed here; the message says what to do."""


def find_pages() -> list[Path]:
    if pages := _list_pages():
        return pages
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise NoPages(f"{PACKAGE} is not installed: on Debian, as root, apt-get install {PACKAGE}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", PACKAGE]
    if subprocess.run(install, env=environment, capture_output=True, check=False).returncode:
        subprocess.run(["apt-get", "-qq", "update"], env=environment, capture_output=True, check=False)
        subprocess.run(install, env=environment, capture_output=True, check=False)
    if pages := _list_pages():
        return pages
    raise NoPages(f"apt-get install {PACKAGE} brought no pages: try apt-get update, and run it again")


def _list_pages() -> list[Path]:
    """Several packages link to the same directory, and documentation of other kinds may stand beside it."""
    directories = {path.resolve() for path in DOCUMENTS.glob("python3*/html") if (path / "library/index.html").exists()}
    return sorted(page for directory in directories for page in directory.rglob("*.html") if page.is_file())
