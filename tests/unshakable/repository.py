"""The repository of the build that is tested: the sources of the earlier build are named by `make accept`."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

from tests.journeys.scripted_site import comes_true

REPOSITORY = Path(os.environ.get("HONDIUS_REPOSITORY", Path(__file__).parents[2]))


async def python(*arguments: str | Path, seconds: float = 30, enough: Callable[[], bool] = lambda: False) -> str:
    """Returns its output. Stops it when `enough()` is true, or when the time is over."""
    pipe, both = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
    process = await asyncio.create_subprocess_exec(
        sys.executable, *map(str, arguments), cwd=REPOSITORY, stdout=pipe, stderr=both, start_new_session=True
    )
    told = asyncio.create_task(process.communicate())
    await comes_true(lambda: told.done() or enough(), seconds)
    if not told.done():
        os.killpg(process.pid, 9)
    out, _ = await told
    return out.decode()
