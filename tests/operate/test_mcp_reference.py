"""`hondius mcp` (O8), as the reference client of the protocol sees it."""

import json
import sys
from pathlib import Path

import pytest

from tests.operate.reference_client import drive, find_python
from tests.use.sql_shop import RED, SITE
from tests.use.worlds import DIRECTORY, crawl_in_process, new_place


def test_o8_the_reference_client_can_use_every_tool(tmp_path: Path) -> None:
    python = find_python()
    if python is None:
        pytest.skip("the package mcp is not installed: `make accept` installs it for the judges")
    pytest.importorskip("duckdb")
    with new_place(DIRECTORY, tmp_path) as crawl:
        crawl_in_process(crawl, SITE)
        talk = drive(
            python,
            [sys.executable, "-m", "hondius", "mcp", str(crawl), "--seconds", "600"],
            [
                ("page", {"url": RED}),
                ("explain", {"url": RED}),
                ("sql", {"query": "SELECT count(*) AS n FROM links"}),
                ("sql", {"query": "SELECT * FROM read_text('/etc/passwd')"}),
                ("status", {}),
            ],
        )
    page, explained, counted, refused, status = talk["answers"]
    assert talk["tools"] == ["search", "page", "explain", "sql", "status"]
    assert "Shoes that are red." in page["texts"][1]
    assert RED in explained["texts"][0]
    assert json.loads(counted["texts"][1]) == {"n": 7}
    assert refused["is_error"]
    assert json.loads(status["texts"][0])["states"]["completed"] == 4
