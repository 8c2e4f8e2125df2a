"""The names of the package `hondius` (O2)."""

import subprocess
import sys

from scripts.make_reference_page import CLASSES, FUNCTIONS

import hondius


def test_o2_the_package_shows_its_public_names_only() -> None:
    assert dir(hondius) == sorted(hondius.__all__)
    assert not {"Any", "TYPE_CHECKING", "logging", "clock", "import_module"} & {*dir(hondius)}


def test_o2_whatever_the_reference_describes_can_be_imported_from_the_package() -> None:
    for one in (*CLASSES, *FUNCTIONS):
        assert getattr(hondius, one.__name__) is one
        assert one.__name__ in hondius.__all__
    assert all(getattr(hondius, name) is not None for name in hondius.__all__)


def test_o2_importing_the_package_imports_no_part_of_its_interface() -> None:
    script = "import sys, hondius; print([name for name in sys.modules if name.startswith('hondius.')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
