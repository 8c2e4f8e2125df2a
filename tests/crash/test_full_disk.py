"""S5: a start on a full disk waits for space, but no longer than its time limit."""

from pathlib import Path

import pytest

from tests.acceptance.crash.full_disk import MEMORY, NOT_MOUNTABLE, mountable, small_disk
from tests.journeys.scripted_site import hondius


async def test_s5_f8_a_start_that_waits_for_room_ends_with_its_time(tmp_path: Path) -> None:
    if MEMORY not in mountable():
        pytest.skip(NOT_MOUNTABLE)
    with small_disk(tmp_path, MEMORY, 1 << 20) as disk:
        disk.fill()
        ended = await hondius("crawl", "http://a.test/", "--into", disk.root / "c", "--max-time", "1s")
    assert ended.status == 1
    assert "--max-time was over" in ended.error
