"""A small file system, and a file that fills it. Mounting needs root; without it, tests are skipped with a message."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

MEMORY, BLOCKS = "tmpfs", "ext4"
"""tmpfs refuses a write at once; ext4 may fail later, when the file is synced."""
STEP = 1 << 20
NOT_MOUNTABLE = "no small file system can be mounted: that needs root, and mkfs.ext4"
"""Why a test is skipped."""


class SmallDisk:
    def __init__(self, root: Path) -> None:
        self.root = root
        self._filler = root / "filler"

    @property
    def free(self) -> int:
        return shutil.disk_usage(self.root).free

    def fill(self, leave: int = 0) -> None:
        """Grows or shrinks the filler until exactly so much space is free."""
        with self._filler.open("ab", buffering=0) as file:
            try:
                file.truncate(max(0, file.tell() - max(0, leave - self.free)))
                while (wanted := min(STEP, self.free - leave)) > 0 and file.write(bytes(wanted)):
                    pass
                os.fsync(file.fileno())
            except OSError:
                pass  # the disk is full

    def make_room(self) -> None:
        self._filler.unlink(missing_ok=True)


@contextmanager
def small_disk(scratch: Path, kind: str, size: int) -> Iterator[SmallDisk]:
    root = scratch / "disk"
    root.mkdir()
    if kind == MEMORY:
        _run("mount", "-t", "tmpfs", "-o", f"size={size}", "none", root)
    else:
        image = scratch / "image"
        with image.open("wb") as file:
            file.truncate(size)
        _run("mkfs.ext4", "-q", "-F", "-m", "0", image)
        _run("mount", "-o", "loop", image, root)
    try:
        yield SmallDisk(root)
    finally:
        _run("umount", "-l", root)


@cache
def mountable() -> tuple[str, ...]:
    """The kinds that this system lets us mount."""
    return tuple(kind for kind in (MEMORY, BLOCKS) if _is_mountable(kind))


def _is_mountable(kind: str) -> bool:
    with tempfile.TemporaryDirectory(prefix="hondius-mount-") as name:
        try:
            with small_disk(Path(name), kind, 4 * STEP):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False


def _run(*command: object) -> None:
    search = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    environment = {**os.environ, "PATH": search}
    subprocess.run([*map(str, command)], check=True, capture_output=True, env=environment)
