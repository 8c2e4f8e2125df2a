"""The comparison counts what the server saw, charges whole process trees, and says where work is not the same."""

import ssl
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from benchmarks.compare import report
from benchmarks.compare.access_log import visit
from benchmarks.compare.bars import verdicts
from benchmarks.compare.meter import Used
from benchmarks.compare.peer import HONDIUS, names, peer
from benchmarks.compare.rows import Circumstances, Row, Run, find_unfinished, keep
from benchmarks.site.certificates import AUTHORITY, certificates, file_of
from benchmarks.site.generate import write_host

HERE = Circumstances(build="abc", machine="a machine", hosts=2, concurrency=64)
BURN = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"


def test_a_page_counts_once_and_only_if_it_is_one_of_the_site() -> None:
    lines = [
        "100.000 127.20.0.1 200 1 /robots.txt",
        "101.000 127.20.0.1 200 1 /robots.txt",
        "101.500 127.20.0.1 200 2 /",
        "102.000 127.20.0.1 200 3 /",
        "103.000 127.20.0.2 404 1 /",
        "104.000 127.20.0.2 200 2 /elsewhere",
        "105.000 127.20.0",
    ]
    seen = visit(lines, frozenset({"127.20.0.1/", "127.20.0.2/"}), since=100.5)
    assert (seen.pages, seen.requests, seen.robots, seen.connections) == (1, 5, 1, 2)
    assert (seen.first, seen.last, seen.seconds) == (101.0, 104.0, 3.0)


def test_a_server_that_nobody_asked_has_a_log_too() -> None:
    assert visit([], frozenset({"127.20.0.1/"})).pages == 0


def metered(program: str, tmp_path: Path, patience: float = 20) -> Used:
    figures = tmp_path / "used.json"
    command = [
        sys.executable,
        "-m",
        "benchmarks.compare.meter",
        str(patience),
        str(figures),
        sys.executable,
        "-c",
        program,
    ]
    subprocess.run(command, check=True, timeout=30)
    return msgspec.json.decode(figures.read_bytes(), type=Used)


@pytest.mark.parametrize(
    "program",
    [
        BURN,
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BURN!r}])",
        f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {BURN!r}])",
        f"import os\nif os.fork() == 0:\n if os.fork() == 0:\n  exec({BURN!r})",
    ],
    ids=["itself", "a child", "a child that outlives it", "an orphan's orphan"],
)
def test_cpu_of_every_process_of_the_tree_is_charged(program: str, tmp_path: Path) -> None:
    used = metered(program, tmp_path)
    assert 0.3 <= used.cpu_seconds < 2
    assert used.status == 0
    assert used.in_time


def test_cpu_of_a_child_that_nobody_waits_for_is_charged_as_far_as_it_was_seen(tmp_path: Path) -> None:
    ignoring = "import signal, subprocess, sys\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    child = f"subprocess.Popen([sys.executable, '-c', {BURN!r} + '\\ntime.sleep(0.4)']).wait()"
    assert metered(ignoring + child, tmp_path).cpu_seconds >= 0.3


def test_memory_is_that_of_the_tree_at_its_largest(tmp_path: Path) -> None:
    hold = "import time\nheld = bytearray(b'x') * 60_000_000\ntime.sleep(0.5)"
    program = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {hold!r}])\n{hold}"
    used = metered(program, tmp_path)
    assert used.peak_bytes > 120_000_000
    assert used.processes == 2


def test_a_crawler_that_does_not_end_is_ended_with_its_children(tmp_path: Path) -> None:
    child = "import time\ntime.sleep(60)"
    program = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}])"
    used = metered(program, tmp_path, patience=0.3)
    assert not used.in_time
    assert used.seconds < 5


def test_a_meter_that_is_ended_leaves_no_crawler_behind(tmp_path: Path) -> None:
    meter = [sys.executable, "-m", "benchmarks.compare.meter", "60", str(tmp_path / "used.json")]
    with subprocess.Popen([*meter, "sh", "-c", "echo $$; exec sleep 60"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        crawler = Path("/proc", process.stdout.readline().decode().strip())
        assert crawler.exists()
        process.terminate()
        process.wait(timeout=20)
    ends_by = time.monotonic() + 20
    while crawler.exists() and time.monotonic() < ends_by:
        time.sleep(0.05)  # whoever is left of its parents buries it when it gets to it
    assert not crawler.exists()


def row(crawler: str, **changed: object) -> Row:
    known: dict[str, object] = {
        "crawler": crawler,
        "version": "1",
        "kind": "crawler",
        "scheme": "http",
        "keeps": "pages",
        "robots": True,
        "note": f"how {crawler} runs",
        "pages": 40,
        "coverage": 1.0,
        "pages_per_second": 1_000.0,
        "cpu_ms_per_page": 1.0,
        "peak_rss_mb": 100.0,
        "seconds": 0.04,
        "start_seconds": 0.01,
        "pages_per_second_served": 2_000.0,
        "requests": 42,
        "connections": 2,
        "in_time": True,
        "status": 0,
        "elsewhere": 0.1,
        "configuration": "0123",
        "run": "today",
        "circumstances": HERE,
    }
    return msgspec.convert({**known, **changed}, Row)


SCRAPY = row("Scrapy", pages_per_second=50.0, cpu_ms_per_page=10.0)


def test_q1_bars_are_met_or_missed_against_each_crawler() -> None:
    assert all(verdict.holds for verdict in verdicts([row("Hondius"), SCRAPY, row("Colly", cpu_ms_per_page=0.7)]))
    missed = [
        str(verdict)
        for verdict in verdicts(
            [
                row("Hondius", pages_per_second=999.0),
                SCRAPY,
                row("Colly", cpu_ms_per_page=0.6),
                row("Heritrix", cpu_ms_per_page=0.9),
            ]
        )
        if not verdict.holds
    ]
    assert missed == [
        "MISSED Hondius: 999 pages/s (≥ 1,000)",
        "MISSED faster than Scrapy: 19.98 × (≥ 20)",
        "MISSED CPU a page / Colly's: 1.67 (≤ 1.5)",
        "MISSED CPU a page / Heritrix's: 1.11 (≤ 1)",
    ]


def test_what_is_apart_is_no_bar() -> None:
    limit = row("download only", kind="apart", pages_per_second=90_000.0, cpu_ms_per_page=0.01)
    assert all(verdict.holds for verdict in verdicts([row("Hondius"), limit]))


def test_a_crawler_that_did_less_than_the_others_is_marked_so() -> None:
    [*_, line] = report.table([row("Hondius"), row("Colly", coverage=0.9989, robots=False, pages_per_second=1.0)])
    assert "**fetched 99.89%**" in line
    assert "no robots.txt" in line
    assert not list(report.remarks(row("Colly", coverage=0.999), row("Hondius")))


def test_a_crawler_that_was_stopped_or_failed_is_marked_so() -> None:
    assert list(report.remarks(row("Colly", in_time=False, status=-15), None)) == ["stopped when its time was up"]
    assert list(report.remarks(row("Colly", status=2), None)) == ["ended with status 2"]


def test_a_crawler_that_had_to_share_the_machine_is_marked_so() -> None:
    disturbed = row("Scrapy", elsewhere=1.26, pages_per_second=10.0, cpu_ms_per_page=10.0)
    assert list(report.remarks(disturbed, None)) == ["1.3 cores were busy elsewhere"]
    assert "ok faster than Scrapy: 100 × (≥ 20), on a busy machine" in map(str, verdicts([row("Hondius"), disturbed]))
    assert "during 1 of 2 measurements" in "".join(report.caution([row("Hondius"), disturbed]))
    assert not list(report.caution([row("Hondius")]))


def test_rows_come_fastest_first_with_ratios_to_hondius_and_what_is_apart_last() -> None:
    apart = row("wget", kind="apart", pages_per_second=5_000.0)
    _, _, *lines = report.table([SCRAPY, apart, row("Hondius")])
    assert [line.split(" | ")[0] for line in lines] == ["| Hondius 1", "| Scrapy 1", "| *wget 1*"]
    assert "| 50 | 20.0 × | 10.00 | 10.0 × |" in lines[1]


def test_a_record_replaces_its_own_section_and_no_other(tmp_path: Path) -> None:
    results = tmp_path / "RESULTS.md"
    results.write_text("# Results\n\n<!-- growth: begin -->\ngrown\n<!-- growth: end -->\n")
    for began in ("yesterday", "today"):
        rows = [row("Hondius", run=began), row("Scrapy", run=began)]
        report.record(Run(began, HERE, rows, {"Katana": "no such module"}), results)
    text = results.read_text()
    assert text.count(report.BEGIN) == text.count("## Against") == text.count("grown") == 1
    assert "http of today" in text
    assert "Katana: not measured, as it could not be installed (no such module)" in text
    assert (tmp_path / "plots" / "bench.svg").read_text().startswith("<svg")
    [first, _] = msgspec.json.decode((tmp_path / "results.json").read_bytes())
    assert {"crawler", "pages_per_second", "cpu_ms_per_page", "peak_rss_mb", "pages", "scheme"} <= first.keys()


def test_rows_of_an_earlier_run_stay_and_say_so(tmp_path: Path) -> None:
    results = tmp_path / "RESULTS.md"
    report.record(Run("yesterday", HERE, [row("Hondius", run="yesterday"), row("Scrapy", run="yesterday")]), results)
    changed = msgspec.structs.replace(HERE, build="def")
    report.record(Run("today", changed, [row("Hondius", circumstances=changed)]), results)
    kept = {each.crawler: each.run for each in report.read_recorded(results)}
    assert kept == {"Hondius": "today", "Scrapy": "yesterday"}
    assert "measured in another run, on another build or machine" in results.read_text()


def test_only_an_unfinished_run_of_this_build_is_gone_on_with(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    assert find_unfinished(file, HERE) is None
    keep(Run("today", HERE, [SCRAPY]), file)
    going_on = find_unfinished(file, HERE)
    assert going_on is not None
    assert going_on.rows == [SCRAPY]
    assert find_unfinished(file, msgspec.structs.replace(HERE, build="def")) is None
    keep(Run("today", HERE, [SCRAPY], done=True), file)
    assert find_unfinished(file, HERE) is None


@pytest.mark.parametrize("name", names())
def test_every_peer_says_what_it_keeps_and_why_it_is_configured_so(name: str) -> None:
    chosen = peer(name)
    assert chosen.keeps
    assert chosen.note
    places = dict.fromkeys(("python", "seeds", "paths", "output", "concurrency", "authority"), "here")
    for scheme in ("http", "https"):
        assert "{" not in " ".join(chosen.command({**places, "scheme": scheme}))


def test_hondius_is_one_of_them() -> None:
    assert peer(HONDIUS).name == "Hondius"


def test_a_site_by_address_has_the_same_files_for_both_schemes_and_some_without_compression(tmp_path: Path) -> None:
    write_host(tmp_path, 1, 3, port=20_080)
    root = tmp_path / "127.20.0.2"
    text = (root / "index.html").read_text()
    assert 'href="//127.20.0.2:20080/' in text
    assert ".test" not in text
    assert len(list(root.rglob("*.html"))) == 20
    assert len(list(root.rglob("*.html.gz"))) == 15


def test_certificates_are_those_of_the_addresses(tmp_path: Path) -> None:
    made = certificates(tmp_path, 2)
    handshake(made, certificate_of="127.20.0.2", asked_for="127.20.0.2")
    with pytest.raises(ssl.SSLCertVerificationError, match="IP address mismatch"):
        handshake(made, certificate_of="127.20.0.1", asked_for="127.20.0.2")


def handshake(made: Path, certificate_of: str, asked_for: str) -> None:
    """In memory, message by message."""
    serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    serving.load_cert_chain(file_of(made, certificate_of))
    trusting = ssl.create_default_context(cafile=made / AUTHORITY)
    upwards, downwards = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(downwards, upwards, server_hostname=asked_for)
    server = serving.wrap_bio(upwards, downwards, server_side=True)
    shaking = [client, server]
    while shaking:
        side = shaking.pop(0)
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            shaking.append(side)
