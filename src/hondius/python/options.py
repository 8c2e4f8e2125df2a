"""The options of a crawl, for editors and type checkers. A test compares them with the settings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict


class CrawlOptions(TypedDict, total=False):
    """As `hondius crawl --help` describes them. A size may be a text like "10GB", a time one like "1h30m". None stands
    for the crawl's own value, or the default."""

    scope: Literal["host", "domain", "prefix", "any"] | None
    include: str | Sequence[str] | None
    exclude: str | Sequence[str] | None
    max_depth: int | None
    max_pages_per_host: int | None
    media: bool | None
    scripts: bool | None
    requisites: bool | None
    max_pages: int | None
    max_bytes: int | str | None
    max_time: float | str | None
    delay: float | None
    concurrency: int | None
    user_agent: str | None
    contact: str | None
    header: str | Sequence[str] | Mapping[str, str] | None
    proxy: str | Sequence[str] | None
    source_address: str | Sequence[str] | None
    resolver: str | Sequence[str] | None
    resolve: str | Sequence[str] | Mapping[str, str] | None
    ca_file: str | Path | None
    allow_private: str | Sequence[str] | None
    focus: str | Sequence[str] | None
    focus_threshold: float | None
    body_days: float | None
    continuous: bool | None
    visits_per_day: int | None
    page_class: str | Sequence[str] | None
    webhook: str | Sequence[str] | None
    hook: str | Sequence[str] | None
    on_hook_error: Literal["report", "stop"] | None
    search: bool | None
    opensearch: str | None
    log_level: Literal["debug", "info", "warning", "error"] | None
    """What `crawl.log` contains. The logger `hondius` has this level while the crawl runs."""
    log_json: bool | None
    set: Mapping[str, Any]
    """Any setting of `docs/settings.md`, by its full name: {"politeness.address_gap": 0.5}."""
