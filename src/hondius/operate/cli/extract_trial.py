"""`hondius extract --try`: shows what each rule finds on one page."""

import asyncio
import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hondius.crawler.seeds import add_scheme
from hondius.errors import HondiusError, UnknownUrl, WrongUse
from hondius.hints import quote_command
from hondius.opening import Crawl, open_crawl
from hondius.operate.cli.batch import read_input
from hondius.operate.cli.messages import say
from hondius.sanitise import escape_controls_in_json, make_printable, replace_surrogates

if TYPE_CHECKING:
    from hondius.session.failed_seeds import FailedSeed
    from hondius.use.extract import RuleSet, Tried
    from hondius.use.extract.trial import TriedField

BASE = "http://localhost/"
"""The URL of a local file, if none is given."""
ONLY_THIS_PAGE = ('scope.include=["^$"]', "scope.sitemaps=false", "politeness.retries=0")
"""Settings that fetch the page, but follow none of its links."""
SETTINGS_OF_OPTIONS = {
    "--resolve HOST=ADDRESS": """--set 'fetch.resolve=["HOST=ADDRESS"]'""",
    "--allow-private ADDRESS": """--set 'fetch.allow_private=["ADDRESS"]'""",
}
"""What `--set` says for options in the advice about a failure."""
LONGEST = 200
"""Characters of a value that are shown."""
SHOWN_ROWS = 5


def try_page(
    rules: "RuleSet", page: str, directory: Path | None, base: str | None, settings: Sequence[str], *, as_json: bool
) -> int:
    """The exit status: 1 if the page has no row, or the rules do not select it."""
    is_url = directory is not None or ("://" in page and not Path(page).is_file())
    if is_url and base is not None:
        raise WrongUse("--base is the URL of a local file: leave it out")
    if settings and (directory is not None or not is_url):
        raise WrongUse("--set is for a URL that is fetched: leave it out")
    if directory is not None:
        tried = _try_stored(rules, page, directory)
    elif is_url:
        tried = _try_fetched(rules, page, settings)
    else:
        tried = _try_file(rules, page, base)
    if as_json:
        made = msgspec.json.encode(dataclasses.asdict(tried) | {"missing": tried.missing})
        print(escape_controls_in_json(made.decode()))
    else:
        for line in _format(tried):
            print(make_printable(line))
    return 0 if tried.rows and not tried.refused_by else 1


def _try_file(rules: "RuleSet", page: str, base: str | None) -> "Tried":
    from hondius.native import Identity
    from hondius.use.extract import find_refusal_of_url, try_rules

    if not page.startswith("-") and not Path(page).is_file():
        raise WrongUse(f"{page} is neither a file nor a URL: write a URL with its scheme, like https://example.com/")
    tried = try_rules(rules, read_input(Path(page)), replace_surrogates(base or BASE), "text/html")
    if base is None:
        return tried
    refused_by = find_refusal_of_url(rules, tried.url, Identity().parse(tried.url).host)
    return dataclasses.replace(tried, refused_by=refused_by)


def _try_stored(rules: "RuleSet", page: str, directory: Path) -> "Tried":
    url = add_scheme(replace_surrogates(page).strip())
    with open_crawl(directory) as crawl:
        return _apply_to_stored(rules, url, crawl)


def _apply_to_stored(rules: "RuleSet", url: str, crawl: Crawl) -> "Tried":
    from hondius.crawler.translation import make_identity
    from hondius.native import NativeError
    from hondius.use.content import Contents
    from hondius.use.extract import describe_found, find_refusal

    try:
        row = crawl.catalog.page(make_identity(crawl.settings).parse(url).key)
    except NativeError as error:
        raise WrongUse(f"{url} is no URL ({error}): write it like https://example.com/page") from None
    if row is None:
        raise UnknownUrl(f"{url} is not a page of {crawl.name}: leave the directory out to fetch it")
    found = Contents(crawl).find_fields(row, rules.native)
    if found is None:
        why = quote_command("explain", crawl.name, url)
        if row["redirect_to"]:
            raise HondiusError(f"{url} redirects to {row['redirect_to']}: try that URL")
        raise HondiusError(f"{url} has no stored page of text (it is {row['state']}): {why} tells more")
    tried = describe_found(rules, str(row["url"]), found)
    return dataclasses.replace(tried, refused_by=find_refusal(rules, row))


def _try_fetched(rules: "RuleSet", page: str, settings: Sequence[str]) -> "Tried":
    """A crawl of this page alone, in a directory that is removed: with robots.txt, delays and everything."""
    from hondius.operate.cli.set_option import parse_assignments
    from hondius.session.observer import LogObserver
    from hondius.session.preparation import prepare_session
    from hondius.session.session import Session
    from hondius.settings.overrides import collect_overrides

    overrides = collect_overrides({}, parse_assignments([*settings, *ONLY_THIS_PAGE]))
    with tempfile.TemporaryDirectory(prefix="hondius-try-") as scratch:
        place = Path(scratch) / "crawl"
        prepared = prepare_session(place, overrides, [page], None, say, may_add=False)
        summary = asyncio.run(Session(prepared, LogObserver()).run())
        if summary.failed_seeds:
            raise HondiusError(_describe_failure(summary.failed_seeds[0]))
        with open_crawl(place) as crawl:
            return _apply_to_fetched(rules, page, crawl)


def _describe_failure(seed: "FailedSeed") -> str:
    """In one line, with settings instead of the options that `extract` does not have."""
    from hondius.use.causes import explain_cause

    explained = explain_cause(seed.cause, seed.detail)
    advice = explained.help
    for option, setting in SETTINGS_OF_OPTIONS.items():
        advice = advice.replace(option, setting)
    return f"{seed.url}: {explained.words if seed.cause else seed.detail}{f'; {advice}' if advice else ''}"


def _apply_to_fetched(rules: "RuleSet", page: str, crawl: Crawl) -> "Tried":
    """The page, or the one that it redirects to."""
    from hondius.model import PageFilter

    ends = list(crawl.catalog.pages(PageFilter(states=("completed",), kinds=("page",))))
    return _apply_to_stored(rules, str(ends[0]["url"]) if ends else page, crawl)


def _format(tried: "Tried") -> list[str]:
    lines = [tried.url]
    width = max(len(field.name) for field in tried.fields)
    lines += [f"  {field.name:<{width}}  {_format_field(field)}" for field in tried.fields]
    if tried.is_costly:
        return [*lines, "the page took too much work, and has no row: use narrower selectors"]
    if tried.items is not None:
        lines.append(f"{_count(tried.items, 'item')}, {_count(len(tried.rows), 'row')}, {tried.left_out} left out")
    lines += [_shorten(msgspec.json.encode(row).decode(), 10 * LONGEST) for row in tried.rows[:SHOWN_ROWS]]
    if len(tried.rows) > SHOWN_ROWS:
        lines.append(f"… and {len(tried.rows) - SHOWN_ROWS:,} more rows")
    if not tried.rows:
        lines.append("no row")
    if tried.missing:
        lines.append(f"found nothing: {', '.join(tried.missing)}")
    if tried.refused_by:
        lines.append(f"{tried.refused_by} does not select this page: an extraction has no row of it")
    return lines


def _format_field(field: "TriedField") -> str:
    if not field.matches:
        return "found nothing"
    more = f"   ({field.matches:,} matches)" if field.matches > 1 else ""
    text = f"{_shorten(field.first or '', LONGEST)}{more}"
    if field.unread is not None:
        text += f"   is no {field.type}: {_shorten(field.unread, LONGEST)}"
    return text


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
