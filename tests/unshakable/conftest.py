"""The marker `defect`, the option that runs tests which take minutes, and the clean-up of processes."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest


@pytest.fixture(autouse=True)
async def no_command_outlives_its_test(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Ends commands that a failed test left running, as tests do on a build with the defect."""
    start = asyncio.create_subprocess_exec
    processes: list[asyncio.subprocess.Process] = []

    async def noted(*words: Any, **options: Any) -> asyncio.subprocess.Process:
        process = await start(*words, **options)
        processes.append(process)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    yield
    for process in processes:
        if process.returncode is None:
            process.kill()
            await process.communicate()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the defect tests that take minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        marker = item.get_closest_marker("defect")
        if marker is None:
            continue
        item.user_properties.append(("defect", marker.args[0]))
        item.user_properties.append(("inside", str(marker.kwargs.get("inside", False))))
        if marker.kwargs.get("minutes") and not config.getoption("--long"):
            item.add_marker(
                pytest.mark.skip(reason="it takes minutes: --long runs it, and so does make accept ONLY=unshakable")
            )
