"""The marker `defect`, and the option that runs the tests which take minutes."""

import pytest


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
