"""How the tests share two workers, and the settings of hypothesis."""

from pathlib import Path

import pytest
from hypothesis import settings

TESTS = Path(__file__).parent

# No test here is about time: a busy machine must not turn one red.
settings.register_profile("course", deadline=None, derandomize=True)
settings.load_profile("course")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep each file on one worker, so that it sets up once, and all browser tests behind one JupyterLab."""
    for item in items:
        place = item.path.relative_to(TESTS)
        group = "browser" if place.parts[0] == "browser" else place.as_posix()
        item.add_marker(pytest.mark.xdist_group(group))
