"""The options of `crawl` and `resume`, and the settings they mean."""

from pathlib import Path
from typing import Annotated, Any

import typer

from hondius.errors import BadSetting
from hondius.native import Identity, NativeError
from hondius.operate.cli.quantities import bytes_of, seconds_of
from hondius.settings import merged

Directory = Annotated[Path, typer.Argument(help="Directory of the crawl.")]
Seeds = Annotated[
    list[str] | None, typer.Argument(help="URLs to start from; `-` reads them from standard input.", show_default=False)
]
SeedsFile = Annotated[
    Path | None,
    typer.Option(
        "--seeds", help="A file of seeds: a URL a line, `url<TAB>priority`, or `rank,domain`; may be gzipped."
    ),
]
Into = Annotated[Path | None, typer.Option("--into", help="Directory of the crawl.  [default: crawls/HOST]")]
MaxPages = Annotated[int | None, typer.Option(help="Stop after so many pages.")]
MaxPagesPerHost = Annotated[
    int | None, typer.Option(help="Pages and sitemap files fetched from one host.  [default: 100000]")
]
MaxDepth = Annotated[int | None, typer.Option(help="Links away from a seed.")]
MaxBytes = Annotated[str | None, typer.Option(help="Stop after so much traffic, like 10GB.")]
MaxTime = Annotated[str | None, typer.Option(help="Stop this run after so long, like 2h or 1h30m.")]
Concurrency = Annotated[
    int | None, typer.Option(help="Requests under way at once, on different hosts.  [default: 256]")
]
Scope = Annotated[
    str | None, typer.Option(help="host, domain, prefix or any: how far from the seeds.  [default: host]")
]
NewScope = Annotated[str | None, typer.Option(help="Another scope, for links that are found from now on.")]
Include = Annotated[list[str] | None, typer.Option(help="Follow only URLs that match this regular expression.")]
Exclude = Annotated[list[str] | None, typer.Option(help="Never follow URLs that match this regular expression.")]
Delay = Annotated[
    float | None, typer.Option(help="Seconds between two requests to a host; 0 only for your own sites.  [default: 1]")
]
Contact = Annotated[str | None, typer.Option(help="Address or URL for site owners; part of the user agent.")]
UserAgent = Annotated[str | None, typer.Option(help="The whole user agent, instead of `Hondius/VERSION (+CONTACT)`.")]
Header = Annotated[list[str] | None, typer.Option(help="'Name: value' for every host, or '*.example.com|Name: value'.")]
Proxy = Annotated[
    list[str] | None,
    typer.Option(help="http://[USER:PASSWORD@]HOST:PORT, or PATTERN=http://…; names are resolved here all the same."),
]
Resolve = Annotated[
    list[str] | None,
    typer.Option(help="PATTERN=ADDRESS[:PORT][,ADDRESS…], like *.test=127.0.0.1:8080, or @FILE with one a line."),
]
CaFile = Annotated[Path | None, typer.Option(help="Certificates to trust besides the system's (PEM).")]
AllowPrivate = Annotated[
    list[str] | None, typer.Option(help="Private address or network that may be contacted, like 10.0.0.0/8.")
]
LogLevel = Annotated[
    str | None,
    typer.Option(help="What crawl.log tells: debug (every request), info, warning or error.  [default: info]"),
]
LogJson = Annotated[bool, typer.Option("--log-json", help="Write crawl.log as JSON, one object a line.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object at the end, and nothing else.")]


def wishes(
    *,
    max_pages: int | None,
    max_pages_per_host: int | None,
    max_depth: int | None,
    max_bytes: str | None,
    max_time: str | None,
    concurrency: int | None,
    scope: str | None,
    include: list[str] | None,
    exclude: list[str] | None,
    delay: float | None,
    contact: str | None,
    user_agent: str | None,
    header: list[str] | None,
    proxy: list[str] | None,
    resolve: list[str] | None,
    ca_file: Path | None,
    allow_private: list[str] | None,
    chosen: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    """What the user asked for, by section; what was not said is left to the defaults or the crawl's own settings.

    What was `chosen` by its name in the file wins over the option that means the same.
    """
    values: dict[str, dict[str, Any]] = {
        "limits": {
            "max_pages": max_pages,
            "max_bytes": None if max_bytes is None else bytes_of(max_bytes, "--max-bytes"),
            "max_time": None if max_time is None else seconds_of(max_time, "--max-time"),
        },
        "scope": {
            "scope": scope,
            "include": include or None,
            "exclude": exclude or None,
            "max_depth": max_depth,
            "max_pages_per_host": max_pages_per_host,
        },
        "politeness": {"delay": delay},
        "fetch": {
            "concurrency": concurrency,
            "contact": contact,
            "user_agent": user_agent,
            "headers": header or None,
            "proxies": proxy or None,
            "resolve": resolve or None,
            "ca_file": None if ca_file is None else str(ca_file),
            "allow_private": allow_private or None,
        },
    }
    said = {
        name: {key: value for key, value in section.items() if value is not None} for name, section in values.items()
    }
    return _with_absolute_paths(merged(said, chosen))


def _with_absolute_paths(values: dict[str, Any]) -> dict[str, Any]:
    """`ca_file` and the `@FILE` of `resolve` are read again at every start, from wherever that is."""
    fetch = dict(values.get("fetch", {}))
    if isinstance(fetch.get("resolve"), list):
        fetch["resolve"] = [_absolute(text) for text in fetch["resolve"]]
    if fetch.get("ca_file") and isinstance(fetch["ca_file"], str):
        fetch["ca_file"] = str(Path(fetch["ca_file"]).absolute())
    return {**values, "fetch": fetch}


def _absolute(text: object) -> object:
    return f"@{Path(text[1:]).absolute()}" if isinstance(text, str) and text.startswith("@") else text


def host_named(text: str) -> str:
    """A host as a URL spells it, from what a person types."""
    try:
        return Identity().parse(text if "://" in text else f"http://{text}").host
    except NativeError as error:
        raise BadSetting(f"{text!r} is no host name ({error}): write it like example.com") from None
