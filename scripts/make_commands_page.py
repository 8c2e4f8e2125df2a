"""Writes docs/commands.md: every command with its arguments and options, from the code (`make commands-page`)."""

import inspect
import sys
from collections.abc import Iterator
from textwrap import indent
from typing import Any

import typer.main

from hondius.operate.cli.main import make_app

HEAD = """# Commands

Every command with its arguments and options, as `hondius COMMAND --help` shows them. `make commands-page` generates
this page from the code; a test checks that it is up to date. [The guide](guide/first-crawl.md) shows how to use them.
"""


def make_commands_page() -> str:
    group = typer.main.get_command(make_app([]))
    context: Any = group.make_context("hondius", [], resilient_parsing=True)
    names = group.list_commands(context)  # type: ignore[attr-defined]
    commands = [(name, group.get_command(context, name)) for name in names]  # type: ignore[attr-defined]
    parts = [HEAD, *(part for name, command in commands for part in describe_command(name, command))]
    return "\n".join(parts).rstrip("\n") + "\n"


def describe_command(name: str, command: Any) -> Iterator[str]:
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    usage = " ".join(["hondius", name, *map(format_argument, arguments), *(["[OPTION]…"] if options else [])])
    yield f"## `hondius {name}`\n"
    yield f"    {usage}\n"
    yield from (f"{paragraph}\n" for paragraph in describe_help(inspect.cleandoc(command.help or "")))
    rows = [(format_argument(argument), argument) for argument in arguments]
    rows += [(format_option(option), option) for option in options if "--help" not in option.opts]
    if rows:
        yield "| | meaning | default |\n|---|---|---|"
        yield from (f"| {shown} | {escape_cell(one.help or '')} | {format_default(one)} |" for shown, one in rows)
        yield ""


def describe_help(text: str) -> Iterator[str]:
    """Its paragraphs. One that begins with a line of `\\b` is an example, whose lines stay as they are."""
    for paragraph in text.split("\n\n"):
        if paragraph.startswith("\b"):
            yield indent(paragraph.removeprefix("\b").strip("\n"), "    ")
        else:
            yield escape_cell(paragraph)


def format_argument(argument: Any) -> str:
    name = (argument.metavar or argument.name).upper().strip("[]")
    name = f"{name}…" if argument.nargs == -1 else name
    return name if argument.required else f"[{name}]"


def format_option(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag:
        return names
    kind = str(option.metavar or option.type.name)
    return f"{names} {escape_cell(kind if '|' in kind else kind.upper())}"


def format_default(parameter: Any) -> str:
    """Help texts tell what happens without an option that has no value by default."""
    value = parameter.default
    if value is None or value == () or value == "" or isinstance(value, bool) or callable(value):
        return ""
    return f"`{value}`"


def escape_cell(text: str) -> str:
    """Text for a cell of a Markdown table. What stands between backquotes is shown as it is."""
    pieces = " ".join(text.split()).replace("|", "\\|").split("`")
    outside = [piece.replace("<", "&lt;").replace("*", "\\*") for piece in pieces[::2]]
    pieces[::2] = outside
    return "`".join(pieces)


if __name__ == "__main__":
    sys.stdout.write(make_commands_page())
