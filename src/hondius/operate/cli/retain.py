"""`hondius retain`."""

import json as json_format
from typing import TYPE_CHECKING, Annotated

import typer

from hondius.errors import BadSetting
from hondius.hints import quote_command
from hondius.opening import open_settings, place_of
from hondius.operate.cli.idle_lock import lock_idle_crawl
from hondius.operate.cli.messages import say
from hondius.operate.cli.options import Directory, Json
from hondius.quantities import format_bytes, format_count

if TYPE_CHECKING:
    from hondius.session.retention import Retained


def register(app: typer.Typer) -> None:
    app.command("retain")(retain)


def retain(
    directory: Directory,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    json: Json = False,
) -> None:
    """Remove bodies from the archive that are older than `retention.body_days`, unless they are pinned or indexed."""
    from hondius.clock import SystemClock
    from hondius.crawler.store_opening import Watch
    from hondius.session.retention import retain

    settings = open_settings(directory)
    if settings.retention.body_days is None:
        example = quote_command("config", directory, "retention.body_days=90")
        raise BadSetting(f"{directory} keeps its bodies for ever: set how long with {example}")
    with lock_idle_crawl(directory):
        place = place_of(directory)
        retained = retain(place, settings, SystemClock().now(), is_dry_run=dry_run, watch=Watch(notice=say))
    print(_format_json(retained) if json else _format_text(retained, settings.retention.body_days))


def _format_json(retained: "Retained") -> str:
    return json_format.dumps(
        {
            "bodies": retained.bodies,
            "files": retained.files,
            "bytes_before": retained.bytes_before,
            "bytes_after": retained.bytes_after,
        }
    )


def _format_text(retained: "Retained", days: float) -> str:
    if not retained.bodies:
        return f"no body is older than {days:g} days, apart from those that stay"
    bodies = f"{retained.bodies:,} {'body' if retained.bodies == 1 else 'bodies'}"
    files = format_count(retained.files, "WARC file")
    before = format_bytes(retained.bytes_before)
    if retained.bytes_after is None:
        return (
            f"{bodies} in {files} would be removed; the {'file has' if retained.files == 1 else 'files have'} {before}"
        )
    return f"{bodies} removed from {files}: {format_bytes(retained.bytes_after)} instead of {before}"
