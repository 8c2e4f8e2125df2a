"""Which ends of pages are changes, and how they are shown (R6)."""

import xml.etree.ElementTree as Xml
from typing import Any

import pytest

from hondius.model import Finished, Frame, State
from hondius.use.changes import MOST_ENTRIES, Change, ChangeKind, render_feed
from hondius.use.changes.change import make_change
from hondius.use.changes.difference import MOST_COMPARED, _list_differences
from hondius.use.changes.judging import judge_end

KEY, URL = b"k" * 16, "http://a.test/page"
NEW, CHANGED, GONE = ChangeKind
ATOM = "{http://www.w3.org/2005/Atom}"


def end(state: State = State.COMPLETED, changed: bool | None = None, kind: str = "page", **facts: Any) -> Finished:
    return Finished(KEY, URL, URL, "a.test", state, "", kind=kind, changed=changed, fetched_at=9.0, **facts)


def fetch(outcome: State, sequence: int) -> dict[str, Any]:
    return {"outcome": outcome.value, "sequence": sequence, "position": 0, "ended_at": float(sequence)}


@pytest.mark.parametrize(
    ("ended", "earlier", "expected"),
    [
        (end(), [], (NEW, None)),
        (end(State.DUPLICATE), [], (NEW, None)),
        (end(), [State.FAILED, State.GONE], (NEW, None)),
        (end(), [State.REDIRECTED], (NEW, None)),
        (end(changed=True), [State.COMPLETED], (CHANGED, 1.0)),
        (end(changed=True), [State.COMPLETED, State.FAILED], (CHANGED, 1.0)),
        (end(changed=False), [State.COMPLETED], None),
        (end(changed=None), [State.COMPLETED], None),
        (end(State.REDIRECTED, changed=True), [State.COMPLETED], (CHANGED, 1.0)),
        (end(State.REDIRECTED), [], None),
        (end(State.REDIRECTED, changed=True), [State.REDIRECTED], None),
        (end(State.GONE), [State.COMPLETED, State.FAILED], (GONE, 1.0)),
        (end(State.GONE), [State.FAILED], None),
        (end(State.GONE), [State.COMPLETED, State.GONE], None),
        (end(changed=True), [State.COMPLETED, State.GONE], (NEW, 1.0)),
        (end(State.FAILED), [State.COMPLETED], None),
        (end(State.BLOCKED), [], None),
        (end(kind="sitemap"), [], None),
    ],
)
def test_r6_an_end_is_a_change_by_what_was_there_before(
    ended: Finished, earlier: list[State], expected: tuple[ChangeKind, float | None] | None
) -> None:
    later = fetch(State.COMPLETED, 50)
    fetches = [*(fetch(state, number) for number, state in enumerate(earlier, 1)), later]
    assert judge_end(ended, 50, 0, lambda key: fetches) == expected


def change_of(number: int, **facts: Any) -> Change:
    return make_change(Frame(number, 9.0, (), log=255), 3, end(**facts), NEW, None)


def test_r6_the_id_of_a_change_is_that_of_its_place_in_the_log() -> None:
    assert change_of(7).id == change_of(7).id == "ff-7-3"
    assert change_of(8).id != change_of(7).id


def test_r6_a_feed_has_the_newest_first_and_is_xml_whatever_titles_say() -> None:
    hostile = "]]>&<b>\x00\ud800\x1b[31m"
    changes = [change_of(number, title=hostile) for number in range(MOST_ENTRIES + 5)]
    feed = Xml.fromstring(render_feed("a <crawl>", changes))
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == MOST_ENTRIES
    assert [entry.findtext(f"{ATOM}id") for entry in entries[:2]] == ["urn:hondius:ff-1004-3", "urn:hondius:ff-1003-3"]
    assert entries[0].findtext(f"{ATOM}title") == "new: ]]>&<b>[31m"
    assert feed.findtext(f"{ATOM}title") == "Changes of a <crawl>"
    assert Xml.fromstring(render_feed("empty", [])).findtext(f"{ATOM}updated") == "1970-01-01T00:00:00Z"


def test_r6_a_difference_shows_what_is_around_each_change() -> None:
    old = ["head", "one", "two", "three", "four", "foot"]
    new = ["head", "one", "2", "three", "four", "five", "foot"]
    assert _list_differences(old, new) == [" one", "-two", "+2", " three", " four", "+five", " foot"]
    assert _list_differences(old, old) == []
    assert _list_differences([], ["one"]) == ["+one"]
    assert _list_differences(["one"], []) == ["-one"]


def test_r6_texts_that_differ_in_everything_take_linear_time() -> None:
    many = int(MOST_COMPARED**0.5) + 1
    old, new = [f"old {number % 7}" for number in range(many)], [f"new {number % 7}" for number in range(many)]
    assert len(_list_differences(["same", *old], ["same", *new])) == 2 * many
