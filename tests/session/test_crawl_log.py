"""`crawl.log`: what it tells, what it never tells, and that it hurts nobody."""

import asyncio
import errno
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hondius.crawler.secrets import find_secrets, hide_secrets
from hondius.errors import BadSetting
from hondius.operate.cli.messages import say
from hondius.session import crawl_log as logs
from hondius.session.crawl_log import LogOptions, parse_log_options, write_crawl_log
from hondius.settings import FetchSettings
from tests.journeys.scripted_site import Answer, crawl, hondius, scripted_site

LOG = logging.getLogger("hondius.test")
SECRETS = FetchSettings(
    headers=("Authorization: Bearer open-sesame", "*.test|Cookie: id=crumbs"),
    proxies=("http://anna:swordfish@proxy.test:8080", "*.test=http://ben:hunter22@proxy.test:1"),
)


def test_a_log_is_rotated_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MAX_BYTES", 2_000)
    with write_crawl_log(tmp_path, LogOptions(), ()):
        for number in range(500):
            LOG.warning("line %d", number)
    files = sorted(file.name for file in tmp_path.iterdir())
    assert files == ["crawl.log", "crawl.log.1", "crawl.log.2", "crawl.log.3"]
    assert all(file.stat().st_size <= 2_000 for file in tmp_path.iterdir())
    assert "line 499" in (tmp_path / "crawl.log").read_text()


def test_a_log_without_a_line_is_no_file(tmp_path: Path) -> None:
    with write_crawl_log(tmp_path, LogOptions(logging.WARNING), ()):
        LOG.info("not told")
    assert list(tmp_path.iterdir()) == []


def test_s5_a_disk_that_takes_no_line_hurts_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a write, nor a rotation, nor the end."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with write_crawl_log(tmp_path, LogOptions(), ()):
        LOG.warning("there is room")
        with monkeypatch.context() as patched:
            patched.setattr(logs.CrawlLogHandler, "flush", full)
            patched.setattr(logs.CrawlLogHandler, "doRollover", full)
            LOG.warning("there is none")
    assert capsys.readouterr() == ("", "")
    assert "there is room" in (tmp_path / "crawl.log").read_text()


def test_q2_a_log_is_not_written_through_a_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "crawl.log").symlink_to(tmp_path / "victim")
    with write_crawl_log(tmp_path, LogOptions(), (), say):
        LOG.warning("a line")
    assert (tmp_path / "victim").read_text() == "precious"
    assert "is not a regular file, so nothing is logged: remove it" in capsys.readouterr().err


def test_s5_a_log_on_a_full_device_hurts_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "open_file", lambda path, flags: os.open("/dev/full", flags))
    with write_crawl_log(tmp_path, LogOptions(), ()):
        for number in range(5_000):
            LOG.warning("line %d", number)
    assert capsys.readouterr() == ("", "")


def test_json_lines_have_the_traceback(tmp_path: Path) -> None:
    with write_crawl_log(tmp_path, LogOptions(as_json=True), ("swordfish",)):
        try:
            raise ValueError("swordfish")
        except ValueError:
            LOG.exception("a\nmessage with swordfish")
    (line,) = (tmp_path / "crawl.log").read_text().splitlines()
    told = json.loads(line)
    assert (told["level"], told["logger"], told["message"]) == ("error", "hondius.test", "a\nmessage with [secret]")
    assert told["traceback"].endswith("ValueError: [secret]")


def test_nothing_secret_is_told() -> None:
    secrets = find_secrets(SECRETS)
    text = "Bearer open-sesame; id=crumbs; http://anna:swordfish@proxy.test:8080; hunter22"
    shown = hide_secrets(text, secrets)
    for secret in ("open-sesame", "crumbs", "anna", "swordfish", "hunter22"):
        assert secret not in shown
    assert hide_secrets("http://a.test/page", secrets) == "http://a.test/page"


@pytest.mark.parametrize(("text", "level"), [(None, logging.INFO), ("DEBUG", logging.DEBUG), ("error", logging.ERROR)])
def test_a_level_is_named_as_one_writes_it(text: str | None, level: int) -> None:
    assert parse_log_options(text, False).level == level


def test_a_level_that_nobody_knows_is_refused() -> None:
    with pytest.raises(BadSetting, match="debug, info, warning, error"):
        parse_log_options("loud", False)


def test_as_a_library_it_configures_nothing_and_says_nothing() -> None:
    source = (
        "import logging, hondius.operate.cli.session, hondius.crawler.boundary\n"
        "logging.getLogger('hondius.crawler').error('nobody listens')\n"
        "assert not logging.getLogger().handlers and logging.getLogger('hondius').level == 0"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


async def test_requests_are_told_at_debug_and_secrets_never(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    options = ("--log-level", "debug", "--log-json", "--header", "Authorization: Bearer open-sesame")
    async with scripted_site({"/": Answer.page("/1"), "/1": Answer.page()}) as site:
        ended = await crawl(site, directory, "http://a.test/", *options)
    assert ended.status == 0, ended.error
    text = (directory / "crawl.log").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    asked = [line["message"] for line in lines if line["logger"] == "hondius.crawler.fetch"]
    assert len(asked) == 4  # robots.txt, the guessed sitemap and two pages
    assert any(message.startswith("page http://a.test/1 at 127.0.0.1") for message in asked)
    assert "sesame" not in text


async def test_by_default_a_page_costs_no_line_and_reading_writes_none(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    async with scripted_site({"/": Answer.page("/1", "/2"), "/1": Answer.page(), "/2": Answer.page()}) as site:
        ended = await crawl(site, directory, "http://a.test/")
    assert ended.status == 0, ended.error
    before = (directory / "crawl.log").read_text()
    assert len(before.splitlines()) == 2
    for command in (("status", directory), ("export", directory), ("explain", directory, "http://a.test/")):
        assert (await hondius(*command)).status == 0
    assert (directory / "crawl.log").read_text() == before
    verified, audited = await asyncio.gather(hondius("verify", directory), hondius("audit", directory))
    assert (verified.status, audited.status) == (0, 0)


async def test_a_crawl_that_was_killed_before_its_settings_had_their_name_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    (tmp_path / "crawl.log").write_text("an earlier line\n")
    async with scripted_site({"/": Answer.page()}) as site:
        ended = await crawl(site, tmp_path, "http://a.test/")
    assert ended.status == 0, ended.error
    assert (tmp_path / "crawl.log").read_text().startswith("an earlier line\n")
