"""The settings as text for people: the comments of `hondius.toml` and the page `docs/settings.md`.

Both are made from `Settings` alone. What a setting means is the docstring below its field, which Python does not keep
at run time: it is read from the source of the section, once, when one of the two texts is written.
"""

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import tomli_w

from hondius.model import FORMAT
from hondius.settings import FROZEN, OF_ONE_RUN, Settings, describe_type, switched_on, without_run_limits

WIDTH = 118
LONGEST_DEFAULT = 60


@cache
def descriptions() -> dict[str, dict[str, str]]:
    """By class and field; the field "" is the class itself."""
    found: dict[str, dict[str, str]] = {}
    for module in dict.fromkeys(kind.__module__ for _, kind in sections()):
        for node in ast.parse(inspect.getsource(sys.modules[module])).body:
            if isinstance(node, ast.ClassDef):
                found[node.name] = {"": _one_line(ast.get_docstring(node) or ""), **dict(_field_texts(node))}
    return found


def _field_texts(section: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, text in zip(section.body, section.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            yield field.target.id, _docstring(text)


def sections() -> Iterator[tuple[str, type[msgspec.Struct]]]:
    return ((field.name, field.type) for field in msgspec.structs.fields(Settings))


def settings_file(settings: Settings) -> bytes:
    """The text of `hondius.toml`."""
    return "\n".join(_file_lines(without_run_limits(settings))).encode()


def _file_lines(settings: Settings) -> Iterator[str]:
    yield "# The settings of this crawl. Each run reads them; `hondius resume --set SECTION.NAME=VALUE` changes one."
    yield f"format = {FORMAT}"
    yield f"{FROZEN} = {_value(switched_on(settings.identity))}"
    yield ""
    for name, _ in sections():
        yield from _section_lines(name, getattr(settings, name))


def _section_lines(name: str, section: msgspec.Struct) -> Iterator[str]:
    """Each setting below what it means."""
    texts = descriptions()[type(section).__name__]
    yield from _comment(texts[""])
    yield f"[{name}]"
    for field, value in msgspec.structs.asdict(section).items():
        if (name, field) in OF_ONE_RUN:
            continue
        yield from _comment(texts.get(field, ""))
        yield _assignment(field, value)
    yield ""


def settings_page() -> str:
    """`docs/settings.md`."""
    return "\n".join(_page_lines()) + "\n"


def _page_lines() -> Iterator[str]:
    yield "# Settings"
    yield ""
    yield "Every setting of a crawl, as `hondius.toml` in its directory has it. `--set SECTION.NAME=VALUE` sets any of"
    yield "them for `crawl` and `resume`. The ids in brackets are those of the specification. This page is made from"
    yield "the code, by `make settings-page`; a test holds the two together."
    for name, kind in sections():
        texts = descriptions()[kind.__name__]
        yield ""
        yield f"## `[{name}]`"
        yield ""
        yield texts[""] or "."
        yield ""
        yield "| name | takes | default | meaning |"
        yield "|---|---|---|---|"
        for field in msgspec.structs.fields(kind):
            meaning = texts.get(field.name, "").replace("|", "\\|")
            yield f"| `{field.name}` | {describe_type(field.type)} | {_default(field.default)} | {meaning} |"


def _default(value: Any) -> str:
    if value is None:
        return "not set"
    text = _value(value)
    return f"`{text}`" if len(text) <= LONGEST_DEFAULT else f"`{text[:LONGEST_DEFAULT]}` …"


def _assignment(field: str, value: Any) -> str:
    """TOML has no null: what is not set stands there as a comment."""
    return f"# {field} =" if value is None else f"{field} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, value))}]"
    return tomli_w.dumps({"value": value}).removeprefix("value = ").strip()


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, WIDTH)]


def _docstring(node: ast.stmt) -> str:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return _one_line(node.value.value) if is_text else ""  # type: ignore[attr-defined]


def _one_line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    print(settings_page(), end="")
