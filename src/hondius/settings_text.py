"""The settings as text for people: the comments of `hondius.toml` and the page `docs/settings.md`.

Both are made from `Settings` alone.
"""

import textwrap
from collections.abc import Iterator
from typing import Any

import msgspec
import tomli_w

from hondius.model import FORMAT
from hondius.settings import FROZEN, OF_ONE_RUN, Settings, describe_type, switched_on, without_run_limits
from hondius.settings.listing import Setting, all_settings, descriptions, sections

WIDTH = 118
LONGEST_DEFAULT = 60


def settings_file(settings: Settings) -> bytes:
    """The text of `hondius.toml`."""
    return "\n".join(_file_lines(without_run_limits(settings))).encode()


def _file_lines(settings: Settings) -> Iterator[str]:
    yield "# The settings of this crawl. Each run reads them; `hondius config DIR SECTION.NAME=VALUE` changes one."
    yield f"format = {FORMAT}"
    yield f"{FROZEN} = {_value(switched_on(settings.identity))}"
    yield ""
    for name, _ in sections():
        yield from _section_lines(name, getattr(settings, name))


def _section_lines(name: str, section: msgspec.Struct) -> Iterator[str]:
    """Each setting below what it means."""
    texts = descriptions()[name]
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
    yield "them for `crawl` and `resume`; some have an option of their own, which is named below them. The ids in"
    yield "brackets are those of the specification. This page is made from the code, by `make settings-page`; a test"
    yield "holds the two together."
    for name, _ in sections():
        texts = descriptions()[name]
        yield ""
        yield f"## `[{name}]`"
        yield ""
        yield texts[""] or "."
        yield ""
        yield "| name | takes | default | meaning |"
        yield "|---|---|---|---|"
        for setting in all_settings().values():
            if setting.section == name:
                yield _row(setting, texts.get(setting.name, "").replace("|", "\\|"))


def _row(setting: Setting, meaning: str) -> str:
    option = f"<br>`{setting.option.name}`" if setting.option is not None else ""
    takes = describe_type(setting.type)
    return f"| `{setting.name}`{option} | {takes} | {_default(setting.default)} | {meaning} |"


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


if __name__ == "__main__":
    print(settings_page(), end="")
