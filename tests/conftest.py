"""How the tests share workers."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep each file on one worker, so that it sets up once, and all browser tests behind one JupyterLab."""
    for item in items:
        place = item.path.relative_to(TESTS)
        group = "browser" if place.parts[0] == "browser" else place.as_posix()
        item.add_marker(pytest.mark.xdist_group(group))
