"""How a URL ended, and its requests, from rows of the catalog."""

from collections.abc import Iterable
from typing import Any

from hondius.usage import judge_usage, parse_signals
from hondius.use.explain.explanation import EndingFacts, Request, UsageFacts, WarcLocation

Row = dict[str, Any]


def describe_ending(page: Row, max_links: int, near_copy_of: str | None = None) -> EndingFacts:
    return EndingFacts(
        state=str(page["state"]),
        cause=page["cause"],
        detail=page["detail"],
        status=page["status"],
        fetched_at=page["last_fetched_at"],
        type=page["type"],
        charset=page["charset"],
        language=page["language"],
        length=page["length"],
        title=page["title"],
        canonical=page["canonical"],
        noindex=bool(page["noindex"]),
        content_hash=_to_hex(page["content_hash"]),
        copy_of=page["copy_of"],
        redirect_to=page["redirect_to"],
        rule_line=page["rule_line"] or None,
        links=page["links"],
        new_links=page["new_links"],
        unread_links=max(0, page["links"] - max_links),
        fetch_count=page["fetch_count"],
        change_count=page["change_count"],
        warc=_make_location(page),
        next_fetch_at=page["next_fetch_at"],
        change_interval=page["change_interval"],
        page_class=page["page_class"],
        truncated=bool(page["truncated"]),
        usage=_describe_usage(page["usage"]),
        extracted=page.get("extracted"),
        hook_failures=page.get("hook_failures"),
        near_copy_of=near_copy_of,
        focus=page["focus"],
        unfollowed=page["unfollowed"],
        quality=page["quality"],
        body_removed_at=page.get("body_removed_at"),
    )


def _describe_usage(usage: str | None) -> UsageFacts | None:
    if usage is None:
        return None
    judged = judge_usage(usage)
    return UsageFacts(
        signals=[str(signal) for signal in parse_signals(usage)],
        uses={str(use): str(judgement.stance) for use, judgement in judged.items()},
        because={str(use): [str(signal) for signal in judgement.because] for use, judgement in judged.items()},
    )


def list_requests(fetches: Iterable[Row]) -> list[Request]:
    return [
        Request(
            started_at=fetch["started_at"],
            ended_at=fetch["ended_at"],
            outcome=fetch["outcome"],
            cause=fetch["cause"],
            status=fetch["status"],
            address=fetch["address"],
            wire_length=fetch["wire_length"],
            content_hash=_to_hex(fetch["content_hash"]),
            warc=_make_location(fetch),
        )
        for fetch in fetches
    ]


def _make_location(row: Row) -> WarcLocation | None:
    return None if row["warc_file"] is None else WarcLocation(row["warc_file"], row["warc_offset"], row["warc_length"])


def _to_hex(value: bytes | None) -> str | None:
    return None if value is None else value.hex()
