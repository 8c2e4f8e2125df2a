"""The interface of a target, and which target a name means."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol

S3 = "s3://"


class Target(AbstractContextManager["Target"], Protocol):
    @property
    def name(self) -> str:
        """For messages."""

    @property
    def main(self) -> str:
        """The name of the file, for formats that write one; empty if it has none."""

    @property
    def is_stream(self) -> bool:
        """Whether it takes only one file."""

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A new file. The name may have directories; it comes from Hondius, never from a stranger unchecked."""


def is_remote(name: str) -> bool:
    return name.startswith(S3)


def target_of(name: str | None, *, is_directory: bool) -> Target:
    """`is_directory`: the format writes many files. Raises WrongUse if the target cannot be written."""
    if name is None or name == "-":
        from hondius.use.export.targets.stream import StreamTarget

        return StreamTarget(is_directory=is_directory)
    if is_remote(name):
        from hondius.use.export.targets.s3 import S3Target

        return S3Target(name, is_directory=is_directory)
    if is_directory:
        from hondius.use.export.targets.directory import DirectoryTarget

        return DirectoryTarget(Path(name))
    from hondius.use.export.targets.files import FilesTarget

    return FilesTarget(Path(name))
