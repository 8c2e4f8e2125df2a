"""Ctrl-C, and how soon a command obeys it (O1c)."""

import asyncio
import signal
import time


async def interrupt(process: asyncio.subprocess.Process, patience: float) -> tuple[float, str]:
    """Returns the seconds until it ended, and its standard error. Kills it after `patience` seconds."""
    process.send_signal(signal.SIGINT)
    interrupted = time.monotonic()
    ending = asyncio.create_task(process.communicate())
    await asyncio.wait({ending}, timeout=patience)
    took = time.monotonic() - interrupted
    if not ending.done():
        process.kill()
    _, error = await ending
    return took, error.decode()
