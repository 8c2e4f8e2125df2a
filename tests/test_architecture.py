"""Checks that import-linter cannot do, for example on compiled modules."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hondius.crawler.politeness import Host

SOURCES = Path(__file__).parent.parent / "src" / "hondius"
LOOK_AT_FILES = ("use/verify/", "use/rebuild/", "use/audit/")
"""These commands report on the files themselves."""


def test_only_native_py_imports_the_native_module() -> None:
    importers = [
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if re.search(r"^\s*(from|import) .*\b_native\b", path.read_text(), re.MULTILINE)
    ]
    assert importers == ["native.py"]


def test_the_journey_of_a_url_is_a_page_long() -> None:
    assert len((SOURCES / "crawler" / "journey.py").read_text().splitlines()) <= 80


def test_who_uses_or_operates_a_crawl_does_not_say_which_world_it_lies_in() -> None:
    named = [
        f"{path.relative_to(SOURCES)}: {word[0]}"
        for room in ("opening", "use", "operate")
        for path in (SOURCES / room).rglob("*.py")
        if not str(path.relative_to(SOURCES)).startswith(LOOK_AT_FILES)
        for word in re.finditer(r"(?i)embedded|crawl\.db|sqlite|apsw", path.read_text())
    ]
    assert named == []


def test_only_the_factory_makes_a_url_store() -> None:
    makers = [
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if re.search(r"\bUrlStore\(", re.sub(r"class UrlStore\(", "", path.read_text()))
    ]
    assert sorted(makers) == ["stores/factory.py", "stores/urls/embedded.py", "use/verify/verify.py"]


def test_c1_the_crawl_reads_back_from_its_own_view_and_only_writes_the_catalog() -> None:
    """The catalog may be far away: nothing that hands out, sends or judges a URL reads it."""
    handed = [
        str(path.relative_to(SOURCES / "crawler"))
        for path in (SOURCES / "crawler").rglob("*.py")
        if re.search(r"import .*\bCatalog\b|\bstores\.catalog\b", path.read_text())
    ]
    assert handed == ["assemble/crawl.py"]
    assembled = (SOURCES / "crawler" / "assemble" / "crawl.py").read_text()
    assert len(re.findall(r"\bstores\.catalog\b", assembled)) == 2, "both in OpenCrawl, for whoever shows the crawl"


MOST_PARTS = 8


def test_nothing_in_the_crawler_is_made_of_more_than_eight_parts() -> None:
    """A longer constructor hides a missing class. Events of the log and settings are defined elsewhere."""
    crawler = SOURCES / "crawler"
    large = {
        f"{path.relative_to(crawler)}: {name}"
        for path in crawler.rglob("*.py")
        for name, parts in parts_of_classes(path.read_text())
        if parts > MOST_PARTS
    }
    assert large == set()


def parts_of_classes(source: str) -> Iterator[tuple[str, int]]:
    """Each class with the number of arguments that its constructor takes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            yield node.name, parts_of(node)


def parts_of(node: ast.ClassDef) -> int:
    """The number of arguments of `__init__` or `__new__`, or else of the fields of a dataclass or struct."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name in ("__init__", "__new__"):
            named = statement.args
            variable = [argument for argument in (named.vararg, named.kwarg) if argument is not None]
            return len(named.posonlyargs + named.args + named.kwonlyargs + variable) - 1
    fields = [statement for statement in node.body if isinstance(statement, ast.AnnAssign)]
    return sum("ClassVar" not in ast.unparse(field.annotation) for field in fields)


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("class A:\n    def __init__(self, a, /, b, *, c): ...", 3),
        ("class A:\n    def __init__(self, a, *rest, **named): ...", 3),
        ("class A(Struct):\n    a: int\n    b: str = ''\n    c: ClassVar[int] = 1", 2),
        ("class A:\n    a: int\n    def __init__(self): ...", 0),
        ("def make():\n    class A:\n        a: int", 1),
    ],
)
def test_the_parts_of_a_class_are_counted(source: str, parts: int) -> None:
    assert list(parts_of_classes(source)) == [("A", parts)]


def test_only_a_host_writes_its_fields() -> None:
    """Other code calls the methods of a host."""
    rooms = ("crawler", "operate", "use/explain")
    sources = [path for room in rooms for path in (SOURCES / room).rglob("*.py")]
    writers = [f"{path.relative_to(SOURCES)}:{line}" for path in sources for line in outside_writes(path.read_text())]
    assert writers == []


def outside_writes(source: str) -> list[int]:
    """Lines that write or delete an attribute which is named as a field of a host, of anything but `self`."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store | ast.Del)
            and node.attr in Host.__slots__
        ):
            is_self = isinstance(node.value, ast.Name) and node.value.id == "self"
            lines += [] if is_self else [node.lineno]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
            lines.append(node.lineno)
    return lines


@pytest.mark.parametrize(
    "line",
    [
        "host.busy = True",
        "host.fetched += 1",
        "a, self.host.claims = 1, 2",
        "del host.addresses",
        "setattr(host, x, 1)",
    ],
)
def test_a_write_to_a_field_of_a_host_is_seen(line: str) -> None:
    assert outside_writes(line) == [1]
