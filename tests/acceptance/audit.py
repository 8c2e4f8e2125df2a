"""The auditor audited (P7): every kind of violation is planted and found, and real crawls are clean.

Planted ones are written into crawl directories by the log's own writer, or into the records of a real crawl. The real
crawls are of the synthetic web, with its redirects, sitemaps, redirected robots.txt and 429s: one at the default delay,
one without, one killed again and again.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from tests.acceptance import commands
from tests.acceptance.crash.kills import KilledCrawl, crawl_and_kill
from tests.acceptance.crash.plans import HASTY, POLITE
from tests.acceptance.synthetic_web import serving
from tests.use.planted_crawl import PLANTS, plant_crawl, record

KILLS = 4


@dataclass(frozen=True)
class Found:
    wanted: str
    """The kind that was planted; empty where the crawl must be clean."""
    name: str
    requests: int
    kinds: frozenset[str]
    status: int

    @property
    def as_it_must_be(self) -> bool:
        return self.kinds == {*filter(None, [self.wanted])} and self.status == bool(self.wanted)

    def show(self) -> None:
        told = ", ".join(sorted(self.kinds)) or "clean"
        verdict = "" if self.as_it_must_be else "  <- WRONG"
        print(
            f"  {self.wanted or 'clean':<20} {self.name:<42} {self.requests:>6,} requests: {told}{verdict}", flush=True
        )


def run_audit(directory: Path, wanted: str, name: str) -> Found:
    ended = commands.run("audit", directory, "--json")
    report: dict[str, Any] = ended.summary
    kinds = frozenset(tally["kind"] for tally in report["tallies"] if tally["violations"])
    return Found(wanted, name, report["requests"], kinds, ended.status)


def in_planted_crawls(scratch: Path) -> Iterator[Found]:
    for kind, plant in PLANTS:
        name = plant.__name__
        yield run_audit(plant_crawl(scratch / name, plant), kind, name.replace("_", " "))


def in_real_crawls(scratch: Path) -> Iterator[Found]:
    with serving(scratch, hosts=30, pages_per_host=6, seed=11, slowest=0.5) as web:
        hasty = scratch / "hasty"
        commands.run_well(*web.crawl_arguments(hasty, 0.0))
        yield run_audit(hasty, "", "synthetic web, no delay")
        yield run_audit(_with_a_forbidden_request(hasty), "forbidden", "the same, a request added to its records")
        yield run_audit(_with_a_damaged_record(hasty), "damaged", "the same, a record damaged")
    with serving(scratch, hosts=12, pages_per_host=3, seed=12, slowest=0.2) as web:
        polite = scratch / "polite"
        commands.run_well(*web.crawl_arguments(polite, None))
        yield run_audit(polite, "", "synthetic web, default delay")
    with serving(scratch, hosts=10, pages_per_host=3, seed=13, slowest=0.2) as web:
        for plan, longest in ((POLITE, 4.0), (HASTY, 0.8)):
            crawl = KilledCrawl(web, scratch / f"killed-{plan.delay}", replace(plan, longest=longest))
            crawl_and_kill(crawl, KILLS, Random(13))
            yield run_audit(crawl.directory, "", f"killed {len(crawl.kills)} times, {plan.name}")


def _with_a_forbidden_request(directory: Path) -> Path:
    """Whatever its robots.txt forbade is requested after all."""
    blocked = [row["url"] for row in commands.rows(commands.export(directory)) if row["state"] == "blocked"]
    file = max(directory.glob("log/attempts-*"))
    last = commands.run("audit", directory, "--json").summary["last_at"]
    with file.open("ab") as attempts:
        attempts.write(record(last + 5, blocked[0], ended=False, address="127.250.0.1:80"))
        attempts.write(record(last + 6, blocked[0], ended=True, status=200, address="127.250.0.1:80"))
    return directory


def _with_a_damaged_record(directory: Path) -> Path:
    """The request that was added is taken out again, a bit of its record at a time."""
    file = max(directory.glob("log/attempts-*"))
    data = bytearray(file.read_bytes())
    data[-128 + 20] ^= 1
    data[-64 + 20] ^= 1
    file.write_bytes(data)
    return directory


def of_crawl(directory: Path) -> tuple[str, bool]:
    """The same for a crawl that somebody else made."""
    found = run_audit(directory, "", directory.name)
    told = ", ".join(sorted(found.kinds)) or "clean"
    return f"audit of {found.requests:,} requests: {told}", found.as_it_must_be


def judge_audit() -> tuple[str, bool]:
    """A line of figures, and whether the bar is met."""
    found: list[Found] = []
    with tempfile.TemporaryDirectory(prefix="hondius-audit-") as name:
        scratch = Path(name)
        for each in (in_planted_crawls(scratch), in_real_crawls(scratch)):
            for one in each:
                one.show()
                found.append(one)
    planted_ones = [one for one in found if one.wanted]
    clean = [one for one in found if not one.wanted]
    line = (
        f"audit: {sum(one.as_it_must_be for one in planted_ones)} of {len(planted_ones)} planted violations of "
        f"{len({one.wanted for one in planted_ones})} kinds found, "
        f"{sum(one.as_it_must_be for one in clean)} of {len(clean)} real crawls clean "
        f"({sum(one.requests for one in clean):,} requests)"
    )
    return line, all(one.as_it_must_be for one in found)


def main() -> int:
    argparse.ArgumentParser(description=__doc__).parse_args()
    line, passed = judge_audit()
    print(line)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
