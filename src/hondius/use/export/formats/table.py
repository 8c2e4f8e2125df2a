"""What formats of rows and columns share."""

from msgspec.structs import replace

from hondius.errors import BadSetting
from hondius.model import NO_REQUISITES, PageFilter
from hondius.use.export.formats.format import Partition


class RowFormat:
    """A format with a row for every URL, in one file."""

    name: str
    unit = "row"
    is_binary = False

    def check(self) -> None:
        """Needs no package."""

    def makes_directory(self, partition_by: Partition | None) -> bool:
        if partition_by is not None:
            raise BadSetting(f"--partition-by needs --format parquet; {self.name} is one file")
        return False

    def narrow(self, selected: PageFilter, *, noindex: bool, copies: bool | None) -> PageFilter:
        """A page that asks not to be indexed has a row, without its content (D4)."""
        return leave_out_requisites(selected)


def leave_out_requisites(selected: PageFilter) -> PageFilter:
    """Unless kinds are named (D7). Archives keep them: a page is shown with them."""
    return selected if selected.kinds else replace(selected, kinds=NO_REQUISITES)
