"""Makes a job of the profile inside of Heritrix's own archive, and becomes Heritrix, which runs it and ends."""

import os
import secrets
import sys
import zipfile
from pathlib import Path

ENGINE = "lib/heritrix-engine-3.13.0.jar"
PROFILE = "org/archive/crawler/restlet/profile-crawler-beans.cxml"
OVERRIDES = """
metadata.operatorContactUrl=http://127.0.0.1/
metadata.jobName=site
metadata.description=site
metadata.robotsPolicyName=obey
crawlController.maxToeThreads={concurrency}
crawlController.pauseAtStart=false
disposition.delayFactor=0
disposition.minDelayMs=0
disposition.maxDelayMs=0
disposition.respectCrawlDelayUpToSeconds=0
fetchHttp.useHTTP11=true
fetchHttp.sendConnectionClose=false
fetchHttp.acceptCompression=true
extractorHtml.extractJavascript=false
extractorHtml.extractValueAttributes=false
"""


def main(seeds: Path, concurrency: str, output: Path) -> None:
    job = output / "jobs" / "site"
    job.mkdir(parents=True)
    with zipfile.ZipFile(ENGINE) as engine:
        profile = engine.read(PROFILE).decode()
    overridden = between(profile, "<value>", "</value>", OVERRIDES.format(concurrency=concurrency))
    seeded = between(overridden, '<prop key="seeds.textSource.value">', "</prop>", f"\n{seeds.read_text()}\n")
    (job / "crawler-beans.cxml").write_text(seeded)
    password = secrets.token_hex(16)
    java = ["java", "-Xmx2g", "-cp", "lib/*", "org.archive.crawler.Heritrix"]
    os.execvp("java", [*java, "-a", password, "-b", "127.0.0.1", "-p", "0", "-j", str(job.parent), "-r", job.name])


def between(text: str, begin: str, end: str, new: str) -> str:
    before, _, rest = text.partition(begin)
    return f"{before}{begin}{new}{end}{rest.partition(end)[2]}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
