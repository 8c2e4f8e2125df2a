"""What a command costs is measured without the process that starts it."""

from tests.acceptance import commands

LARGE = 400 * 2**20


def test_q1_the_peak_memory_of_a_command_is_its_own() -> None:
    held = bytearray(b"x" * LARGE)
    ended = commands.run("--version")
    assert (ended.status, len(held)) == (0, LARGE)
    assert 5 * 2**20 < ended.peak_bytes < LARGE // 2
