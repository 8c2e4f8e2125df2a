"""Hostile answers through the whole crawl: nothing of them reaches the loop as an exception (A3, Q2)."""

from pathlib import Path

import pytest

from hondius.crawler.page import Readings
from hondius.native import Fetched, QueuedUrl
from tests.hostile.journey import Round


def test_a_round_of_hostile_answers_has_no_findings(tmp_path: Path) -> None:
    played = Round(2, tmp_path)
    played.run()
    assert played.findings == []
    assert played.counts["events"] > 500


def test_an_exception_in_a_journey_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def misread(self: Readings, url: QueuedUrl, fetched: Fetched) -> None:
        raise ValueError("planted")

    monkeypatch.setattr(Readings, "classify", misread)
    played = Round(1, tmp_path)
    played.run()
    assert played.findings
