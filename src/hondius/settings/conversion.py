"""Converts settings to plain values, and reads them from `hondius.toml`."""

import tomllib
from typing import Any

import msgspec

from hondius.errors import BadDirectory, BadSetting
from hondius.model import FORMAT
from hondius.settings.scope import FIRST_IDENTITY, IdentitySettings
from hondius.settings.sections import OBSOLETE, Settings
from hondius.settings.validation import make_settings

FROZEN = "frozen_identity"


def merge_values(values: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`values`, replaced by `over` where both have the same setting."""
    return {name: {**values.get(name, {}), **over.get(name, {})} for name in {*values, *over}}


def to_values(settings: Settings) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(settings)
    return values


def read_settings(data: bytes, where: str) -> Settings:
    try:
        values = tomllib.loads(data.decode())
    except RecursionError:
        raise BadSetting(f"{where} is not valid TOML (nested too deeply): fix or restore it") from None
    except ValueError as error:  # TOML, UTF-8, or a number with thousands of digits
        raise BadSetting(f"{where} is not valid TOML ({error}): fix or restore it") from None
    number = values.pop("format", None)
    if type(number) is not int or number < 1:
        raise BadDirectory(f"{where} has no format number: this is not a crawl of Hondius; choose another directory")
    if number > FORMAT:
        raise BadDirectory(
            f"{where} was written by a newer Hondius (format {number}, this one knows {FORMAT}): upgrade"
        )
    frozen = values.pop(FROZEN, None)
    try:
        settings = drop_run_limits(make_settings(_upgrade_values(values)))
    except BadSetting as error:
        raise BadSetting(f"{where}: {error}") from None
    if frozen is not None and frozen != list_identity_switches(settings.identity):
        raise BadSetting(
            f"{where}: the settings of [identity] are frozen, they cannot change after the crawl was created: "
            "restore them"
        )
    return settings


def _upgrade_values(values: dict[str, Any]) -> dict[str, Any]:
    """Upgrades the settings of an earlier version: drops obsolete ones, and adds the first version of identity where
    none is given."""
    for section, name in OBSOLETE:
        if isinstance(values.get(section), dict):
            values[section].pop(name, None)
    identity = values.get("identity", {})
    return {**values, "identity": {"version": FIRST_IDENTITY, **identity}} if isinstance(identity, dict) else values


def drop_run_limits(settings: Settings) -> Settings:
    limits = msgspec.structs.replace(settings.limits, max_time=None)
    return msgspec.structs.replace(settings, limits=limits)


def list_identity_switches(identity: IdentitySettings) -> list[str]:
    """A copy of the identity settings for hondius.toml, which detects changes made by hand: they would make the keys of
    all known URLs wrong (U3). The first version of identity is not listed."""
    switches = msgspec.to_builtins(identity)
    version = switches.pop("version")
    later = [] if version == FIRST_IDENTITY else [f"version_{version}"]
    return sorted([name for name, on in switches.items() if on] + later)
