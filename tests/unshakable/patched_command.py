"""Runs the command with one constant changed, if its normal value would need hours or a hundred thousand hosts."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from tests.journeys.scripted_site import Ended, comes_true

SOURCE = """
import importlib, sys
from hondius.operate.cli import main
module, name, value = sys.argv[1:4]
setattr(importlib.import_module(module), name, float(value) if "." in value else int(value))
sys.exit(main.run(sys.argv[4:]))
"""


async def hondius_with(
    module: str, name: str, value: float, *arguments: str | Path, enough: Callable[[], bool] = lambda: False
) -> Ended:
    """A build without this constant runs unchanged. The command is stopped as soon as `enough()` is true."""
    pipe = asyncio.subprocess.PIPE
    words = (module, name, repr(value), *map(str, arguments))
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", SOURCE, *words, stdout=pipe, stderr=pipe)
    talking = asyncio.create_task(process.communicate())
    await comes_true(lambda: talking.done() or enough(), 60)
    if not talking.done():
        process.kill()
    out, error = await talking
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), error.decode())
