"""Writes docs/reference.md: the public Python interface, from its docstrings (`make reference-page`)."""

import inspect
import re
import sys
import typing
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import hondius
from hondius.python.elements import Element, Elements
from hondius.python.extracted import Extracted
from hondius.python.off_loop import AsyncOpenedCrawl
from hondius.python.opened import OpenedCrawl
from hondius.python.parts import Fetch, Link
from hondius.python.selected import Pages
from hondius.python.summary import Host, Summary
from hondius.use.rank import CrawlRanking, RankedHost, RankedPage
from hondius.use.report import CrawlReport

HEAD = """# Python reference

The public names of the package `hondius`, from their docstrings. `make reference-page` generates this page from the
code; a test checks that it is up to date. [Python in ten lines](guide/python.md) and
[reading a crawl](guide/reading.md) show how to use them.
"""
FUNCTIONS = (hondius.crawl, hondius.crawl_sync, hondius.open, hondius.open_async)
CLASSES = (
    *(hondius.Crawler, hondius.RunningCrawl, hondius.SyncCrawl, OpenedCrawl, AsyncOpenedCrawl, Pages, hondius.Page),
    *(Extracted, Elements, Element, Link, Fetch, Host, Summary, CrawlReport, CrawlRanking, RankedPage, RankedHost),
)


def make_reference_page() -> str:
    errors = [getattr(hondius, name) for name in hondius.__all__ if name != "__version__"]
    errors = [value for value in errors if isinstance(value, type) and issubclass(value, Exception)]
    parts = [HEAD, "## Functions\n"]
    parts += [part for function in FUNCTIONS for part in describe_function(function)]
    parts += [part for one in CLASSES for part in describe_class(one)]
    parts += ["## Errors\n", "All are subclasses of `hondius.HondiusError`. A message says what to do.\n"]
    parts += [f"- `hondius.{error.__name__}`: {first_line(error)}" for error in errors]
    return "\n".join(parts).rstrip("\n") + "\n"


def describe_function(function: Any) -> Iterator[str]:
    yield f"### `hondius.{function.__name__}`\n"
    yield f"    {function.__name__}{format_signature(function)}\n"
    yield f"{format_docstring(function)}\n"


def describe_class(one: type) -> Iterator[str]:
    yield f"## `{one.__name__}`\n"
    yield f"{format_docstring(one)}\n"
    for name, member in list_members(one):
        if isinstance(member, property | cached_property):
            yield from describe_value(name, member)
        else:
            yield f"### `{one.__name__}.{name}`\n"
            yield f"    {name}{format_signature(member)}\n"
            yield f"{format_docstring(member)}\n"
    for name, annotation in getattr(one, "__annotations__", {}).items():
        if not name.startswith("_") and has_fields(one):
            yield f"- `{name}`: `{format_type(annotation)}`"
    yield ""


def describe_value(name: str, member: Any) -> Iterator[str]:
    function = member.fget if isinstance(member, property) else member.func
    kind = format_type(typing.get_type_hints(function).get("return", Any))
    yield f"- `{name}`: `{kind}`. {format_docstring(function)}".replace(". \n", ".\n").rstrip()
    yield ""


def list_members(one: type) -> Iterator[tuple[str, Any]]:
    """Values first, then methods, in the order of the code."""
    members = [(name, member) for name, member in vars(one).items() if not name.startswith("_")]
    values = [item for item in members if isinstance(item[1], property | cached_property)]
    return iter([*values, *(item for item in members if inspect.isfunction(item[1]))])


def has_fields(one: type) -> bool:
    return hasattr(one, "__struct_fields__") or hasattr(one, "__dataclass_fields__")


def format_signature(function: Any) -> str:
    text = re.sub(r"<\w+ \S+ at 0x[0-9a-f]+>", "…", str(inspect.signature(function)))
    text = re.sub(r"\*<class '([^']+)'>", r"\1", text)
    return shorten_types(text).replace("(self, ", "(").replace("(self)", "()").replace("~", "")


def format_type(annotation: Any) -> str:
    return shorten_types(annotation.__name__ if isinstance(annotation, type) else str(annotation))


def shorten_types(text: str) -> str:
    """Names without their modules."""
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text).replace("'", "")


def format_docstring(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "")


def first_line(value: Any) -> str:
    return " ".join(format_docstring(value).split("\n\n")[0].split())


if __name__ == "__main__":
    sys.stdout.write(make_reference_page())
