"""`url`, `robots` and `parse` as their users run them: all rows of a suite through one process (O1b)."""

import base64
import json
import subprocess
from collections.abc import Iterable
from typing import Any

import pytest

from hondius.native import Identity
from hondius.operate.cli import batch, main
from tests.acceptance.commands import HONDIUS
from tests.native.conformance import NAMED_WITH_DIGITS, expected_href
from tests.native.suites import cases, suite

Row = dict[str, Any]
NO_URL = {"href": None, "key_form": None, "key": None}


def pipe_rows(*arguments: str, data: bytes) -> list[Row]:
    done = subprocess.run([*HONDIUS, *arguments], input=data, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.splitlines()]


def run_batch(command: str, rows: Iterable[object], *options: str) -> list[Row]:
    data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    return pipe_rows(command, "--batch", *options, data=data)


def run_tool(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    assert main.run(arguments) == status
    output, errors = capsys.readouterr()
    return output if status == 0 else errors


# ---- url -----------------------------------------------------------------------------------------


def test_o1b_the_web_platform_tests_of_urls_agree_through_the_command() -> None:
    known = cases("wpt-url/urltestdata.json")
    answers = run_batch("url", ({"input": case["input"], "base": case["base"]} for case in known))
    assert len(answers) == len(known)
    wrong = [
        ((case["input"], case["base"]), answer["href"])
        for case, answer in zip(known, answers, strict=True)
        if answer["href"] != expected_href(case)
    ]
    assert wrong == []
    for answer in answers:
        assert set(answer) == {"href", "key_form", "key", "reason"}
        assert (answer["href"] is None) == (answer["reason"] is not None)


def test_o1b_every_line_is_answered_in_order_whatever_it_is() -> None:
    lines = (
        b'\xef\xbb\xbf{"input":"http://a.test/1"}',
        b"nonsense",
        b"",
        b"[]",
        b'{"base":"http://a.test/"}',
        b'{"input":7}',
        b'{"input":"x","base":7}',
        b'{"input":"\\udfff\\ud800","base":"http://a.test/"}',
        b'{"input":"http://a.test/\xff\xed\xa0\x80"}',
        b"[" * 100_000,
        b'{"input":' + b"1" * 10_000 + b"}",
        b'{"input":"http://a.test/2"}\r',
        b'{"input":"http://a.test/3","base":null}',
    )
    answers = pipe_rows("url", "--batch", data=b"\n".join(lines))
    assert [answer["href"] or answer["reason"] for answer in answers] == [
        "http://a.test/1",
        *("not_json", "not_json", "not_an_object", "no_input", "bad_input", "bad_base"),
        "http://a.test/%EF%BF%BD%EF%BF%BD",
        "http://a.test/" + "%EF%BF%BD" * 4,
        *("not_json", "not_json"),
        "http://a.test/2",
        "http://a.test/3",
    ]
    assert answers[1] == {**NO_URL, "reason": "not_json"}


def test_o1b_a_line_is_answered_before_the_next_one_is_written() -> None:
    with subprocess.Popen([*HONDIUS, "url", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(3):
            process.stdin.write(b'{"input":"http://a.test/%d"}\n' % number)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["href"] == f"http://a.test/{number}"
        process.stdin.close()
        assert process.wait(timeout=10) == 0


def test_o1b_a_line_of_any_length_is_read_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "LONGEST_LINE", 10)
    line = batch._Line()
    for _ in range(100):
        line.add(b"12345")
        assert sum(map(len, line._parts)) <= 10
    assert isinstance(line.finish(b""), batch.BadLine)
    assert line.finish(b"short") == b"short"


def test_u2_the_switches_of_identity_can_be_set() -> None:
    (answer,) = run_batch("url", [{"input": "http://www.a.test/?b=1&a=2"}], "--set", "identity.drop_www=true")
    expected = Identity(drop_www=True).parse("http://www.a.test/?b=1&a=2")
    assert answer == {"href": expected.href, "key_form": expected.key_form, "key": expected.key.hex(), "reason": None}


def test_o1b_people_see_href_key_form_and_key_or_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    output = run_tool(capsys, "url", "/a?b=1&a=2#c", "mailto:a@b.test", "--base", "http://a.test/x")
    url = Identity().parse("http://a.test/a?b=1&a=2")
    for expected in (url.href, url.key_form, url.key.hex(), "not_http"):
        assert expected in output


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["url"], "--batch"),
        (["url", "http://a.test/", "--batch"], "texts"),
        (["url", "x", "--set", "identity.drop_ww=true"], "identity.drop_www"),
        (["url", "x", "--set", "scope.scope=any"], "scope.scope"),
        (["url", "x", "--set", "identity.drop_www=maybe"], "identity.drop_www"),
        (["robots", "robots.txt"], "URL"),
        (["robots", "missing.txt", "/"], "missing.txt"),
        (["robots", "--batch", "--agent", "x"], "agent"),
        (["parse", "missing.html", "--base", "http://a.test/"], "missing.html"),
        (["parse", "missing.html"], "--base"),
        (["parse", "/dev/null", "--base", "nowhere"], "nowhere"),
    ],
)
def test_o1c_wrong_use_is_one_line_and_exit_status_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    said = run_tool(capsys, *arguments, status=2)
    assert named in said
    assert said.count("\n") == 1


# ---- robots --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["google_robotstxt_cases", "google_spec_test_cases"])
def test_o1b_the_cases_of_googles_parser_agree_through_the_command(name: str) -> None:
    known: list[Row] = json.loads(suite(f"robots-google/{name}.json").read_text("utf-8"))["cases"]
    asked = [{field: case[field] for field in ("robots_b64", "agent", "url")} for case in known]
    answers = run_batch("robots", asked)
    assert [set(answer) for answer in answers] == [{"allowed", "line", "rule"}] * len(known)
    wrong = [
        case["id"]
        for case, answer in zip(known, answers, strict=True)
        if "rfc_conflict" not in case and case["id"] not in NAMED_WITH_DIGITS and answer["allowed"] != case["allowed"]
    ]
    assert wrong == []


RULES = b"User-agent: hondius\nDisallow: /a\nUser-agent: *\nDisallow: /b\nCrawl-delay: 2.5\nSitemap: /s.xml\n"


def test_b3_a_full_user_agent_is_meant_by_its_product_and_the_deciding_line_is_told() -> None:
    rules = base64.b64encode(RULES).decode()
    agents = ("Hondius/0.1 (+you@example.com)", "hondius", "other/2", "\ud800")
    answers = run_batch("robots", [{"robots_b64": rules, "agent": agent, "url": "http://h.test/a"} for agent in agents])
    refused = {"allowed": False, "line": 2, "rule": "Disallow: /a"}
    free = {"allowed": True, "line": None, "rule": None}
    assert answers == [refused, refused, free, free]


def test_o1b_a_robots_line_that_asks_for_nothing_has_a_reason() -> None:
    rules = base64.b64encode(RULES).decode()
    rows: list[object] = [
        {"robots_b64": "%", "agent": "a", "url": "http://h.test/"},
        {"robots_b64": rules, "agent": "a", "url": "mailto:a@h.test"},
        {"robots_b64": rules, "agent": "a"},
        {"robots_b64": rules, "agent": 1, "url": "/"},
        3,
        {"robots_b64": rules, "url": "/b?c"},
    ]
    answers = run_batch("robots", rows)
    reasons = ["bad_robots_b64", "not_http", "no_url", "bad_agent", "not_an_object"]
    assert [answer.get("reason") for answer in answers] == [*reasons, None]
    assert [answer["allowed"] for answer in answers] == [None] * 5 + [True]


def test_o1b_people_see_the_verdict_the_rule_the_delay_and_the_sitemaps(
    capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    file = tmp_path / "robots.txt"
    file.write_bytes(RULES)
    output = run_tool(capsys, "robots", str(file), "http://h.test/b", "--agent", "Other/1.0")
    for expected in ("not allowed", "line 4: Disallow: /b", "2.5 s", "/s.xml"):
        assert expected in output
    assert run_tool(capsys, "robots", str(file), "/b").startswith("allowed")


# ---- parse ---------------------------------------------------------------------------------------

PAGE = (
    "<html lang=de><head><title>Ein Titel</title><meta name=description content=Worte>"
    "<meta name=robots content='noindex, noarchive'><link rel=canonical href=/c></head>"
    "<body><a href=x rel=nofollow>hin</a> Grüße"
)
READ = {
    "charset": "windows-1252",
    "title": "Ein Titel",
    "description": "Worte",
    "canonical": "http://a.test/c",
    "language": "de",
    "directives": ["noindex", "noarchive"],
    "links": [
        {"href": "http://a.test/c", "kind": "canonical", "nofollow": False, "anchor": ""},
        {"href": "http://a.test/b/x", "kind": "anchor", "nofollow": True, "anchor": "hin"},
    ],
    "text": "hin Grüße",
    "simhash": "4045803a82d10180",
    "main_text": "hin Grüße",
    "markdown": "[hin](http://a.test/b/x) Grüße",
    "structured_data": {"json_ld": [], "microdata": [], "rdfa": [], "open_graph": {}, "left_out": 0},
}
TYPE = "text/html; charset=ISO-8859-1"


def test_o1b_a_page_is_read_as_a_crawl_reads_it(tmp_path: Any) -> None:
    body = PAGE.encode("latin-1")
    row = {"body_b64": base64.b64encode(body).decode(), "base": "http://a.test/b/", "content_type": TYPE}
    assert run_batch("parse", [row, row]) == [READ, READ]
    (tmp_path / "page.html").write_bytes(body)
    options = ("--base", "http://a.test/b/", "--content-type", TYPE)
    assert pipe_rows("parse", str(tmp_path / "page.html"), *options, data=b"") == [READ]
    assert pipe_rows("parse", "-", *options, data=body) == [READ]


def test_o1b_a_parse_line_that_asks_for_nothing_has_a_reason() -> None:
    rows: list[object] = [
        {"body_b64": "AA", "base": "http://a.test/"},
        {"body_b64": "", "base": "nowhere"},
        {"base": "http://a.test/"},
        None,
        {"body_b64": "", "base": "http://a.test/\ud800", "content_type": "text/html\udfff"},
    ]
    answers = run_batch("parse", rows)
    reasons = ["bad_body_b64", "no_base", "no_body_b64", "not_an_object"]
    assert [answer.get("reason") for answer in answers] == [*reasons, None]
    assert set(answers[0]) == {*READ, "reason"}
    assert set(answers[4]) == set(READ)


def test_o1b_what_a_terminal_would_obey_is_not_shown(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\nDisallow: /no\x1b[31mRED\n")
    assert main.run(["robots", str(file), "/no\x1b[31mRED"]) == 0
    assert "\x1b" not in capsys.readouterr().out
