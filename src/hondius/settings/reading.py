"""Settings as plain values, and back from `hondius.toml`."""

import tomllib
from typing import Any

import msgspec

from hondius.errors import BadDirectory, BadSetting
from hondius.model import FORMAT
from hondius.settings.checks import settings_from
from hondius.settings.scope import FIRST_IDENTITY, IdentitySettings
from hondius.settings.sections import OBSOLETE, Settings

FROZEN = "frozen_identity"


def merged(values: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`values` with `over` laid on it, section by section."""
    return {name: {**values.get(name, {}), **over.get(name, {})} for name in {*values, *over}}


def as_values(settings: Settings) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(settings)
    return values


def read_back(data: bytes, where: str) -> Settings:
    try:
        values = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSetting(f"{where} is not readable as TOML ({error}): mend or restore it") from None
    number = values.pop("format", None)
    if type(number) is not int or number < 1:
        raise BadDirectory(f"{where} names no format: this is not a crawl of Hondius; choose another directory")
    if number > FORMAT:
        raise BadDirectory(
            f"{where} was written by a newer Hondius (format {number}, this one knows {FORMAT}): upgrade"
        )
    frozen = values.pop(FROZEN, None)
    try:
        settings = without_run_limits(settings_from(_of_today(values)))
    except BadSetting as error:
        raise BadSetting(f"{where}: {error}") from None
    if frozen is not None and frozen != switched_on(settings.identity):
        raise BadSetting(
            f"{where}: the switches and the version of identity were frozen when the crawl was made: restore them"
        )
    return settings


def _of_today(values: dict[str, Any]) -> dict[str, Any]:
    """Settings of an earlier version: those that are no more are left out, an identity without a version is the
    first."""
    for section, name in OBSOLETE:
        if isinstance(values.get(section), dict):
            values[section].pop(name, None)
    identity = values.get("identity", {})
    return {**values, "identity": {"version": FIRST_IDENTITY, **identity}} if isinstance(identity, dict) else values


def without_run_limits(settings: Settings) -> Settings:
    limits = msgspec.structs.replace(settings.limits, max_time=None)
    return msgspec.structs.replace(settings, limits=limits)


def switched_on(identity: IdentitySettings) -> list[str]:
    """Written beside them in hondius.toml: a change by hand would make the keys of all known URLs wrong (U3). The first
    version was never written."""
    switches = msgspec.to_builtins(identity)
    version = switches.pop("version")
    later = [] if version == FIRST_IDENTITY else [f"version_{version}"]
    return sorted([name for name, on in switches.items() if on] + later)
