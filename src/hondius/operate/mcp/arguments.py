"""Checks the arguments of a call against the schema of its tool."""

from collections.abc import Mapping
from typing import Any

from hondius.errors import WrongUse

Schema = Mapping[str, Any]


def make_schema(properties: Mapping[str, Schema], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def make_text(description: str) -> Schema:
    return {"type": "string", "description": description}


def make_number(description: str, *, default: int, least: int, most: int) -> Schema:
    return {"type": "integer", "description": description, "default": default, "minimum": least, "maximum": most}


def check_arguments(schema: Schema, given: Any) -> dict[str, Any]:
    """The arguments with their defaults. Raises WrongUse."""
    if not isinstance(given, dict):
        raise WrongUse("the arguments of a tool are an object")
    properties: Mapping[str, Schema] = schema["properties"]
    if unknown := sorted(set(given) - set(properties)):
        known = ", ".join(properties) or "none"
        raise WrongUse(f"unknown argument {unknown[0][:100]!r}; known: {known}")
    if missing := [name for name in schema["required"] if name not in given]:
        raise WrongUse(f"the argument {missing[0]} is missing")
    checked = {name: kind["default"] for name, kind in properties.items() if "default" in kind}
    return checked | {name: _check(name, properties[name], value) for name, value in given.items()}


def _check(name: str, kind: Schema, value: Any) -> Any:
    if kind["type"] == "string":
        if not isinstance(value, str):
            raise WrongUse(f"the argument {name} is a text")
        return value
    if not isinstance(value, int) or isinstance(value, bool) or not kind["minimum"] <= value <= kind["maximum"]:
        raise WrongUse(f"the argument {name} is a number from {kind['minimum']:,} to {kind['maximum']:,}")
    return value
