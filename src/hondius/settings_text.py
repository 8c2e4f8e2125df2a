"""Writes the settings as text: `hondius.toml` with its comments, and the page `docs/settings.md`.

Both are generated from `Settings` alone.
"""

import textwrap
from collections.abc import Iterator
from typing import Any

import msgspec
import tomli_w

from hondius.model import FORMAT
from hondius.settings import FROZEN, PER_RUN, Settings, describe_type, drop_run_limits, list_identity_switches
from hondius.settings.listing import Setting, list_sections, list_settings, read_descriptions

WIDTH = 118
LONGEST_DEFAULT = 60


def format_settings_file(settings: Settings) -> bytes:
    """The content of `hondius.toml`."""
    return "\n".join(_file_lines(drop_run_limits(settings))).encode()


def _file_lines(settings: Settings) -> Iterator[str]:
    yield "# The settings of this crawl. Each run reads them; `hondius config DIR SECTION.NAME=VALUE` changes one."
    yield f"format = {FORMAT}"
    yield f"{FROZEN} = {_value(list_identity_switches(settings.identity))}"
    yield ""
    for name, _ in list_sections():
        yield from _section_lines(name, getattr(settings, name))


def _section_lines(name: str, section: msgspec.Struct) -> Iterator[str]:
    """Each setting, with its description as a comment above it."""
    texts = read_descriptions()[name]
    yield from _comment(texts[""])
    yield f"[{name}]"
    for field, value in msgspec.structs.asdict(section).items():
        if (name, field) in PER_RUN:
            continue
        yield from _comment(texts.get(field, ""))
        yield _assignment(field, value)
    yield ""


def format_settings_page() -> str:
    """The content of `docs/settings.md`."""
    return "\n".join(_page_lines()) + "\n"


def _page_lines() -> Iterator[str]:
    yield "# Settings"
    yield ""
    yield "Every setting of a crawl, as written in `hondius.toml` in its directory. `crawl` and `resume` set any of"
    yield "them with `--set SECTION.NAME=VALUE`. Some settings also have an option of their own; it is shown below the"
    yield "name. `make settings-page` generates this page from the code; a test checks that it is up to date."
    for name, _ in list_sections():
        texts = read_descriptions()[name]
        yield ""
        yield f"## `[{name}]`"
        yield ""
        yield texts[""] or "."
        yield ""
        yield "| name | takes | default | meaning |"
        yield "|---|---|---|---|"
        for setting in list_settings().values():
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
    """TOML has no null: a setting without a value is written as a comment."""
    return f"# {field} =" if value is None else f"{field} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, value))}]"
    return tomli_w.dumps({"value": value}).removeprefix("value = ").strip()


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, WIDTH)]


if __name__ == "__main__":
    print(format_settings_page(), end="")
