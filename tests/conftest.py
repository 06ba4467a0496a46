"""How the tests share workers, and the settings of hypothesis."""

from typing import Any

import jaxtyping
import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

# No test here is about time: a busy machine must not turn one red.
settings.register_profile("course", deadline=None, derandomize=True)
settings.load_profile("course")


LONGEST = ("tests/browser/", "tests/notebooks/", "tests/grading/")


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """What takes longest comes first, so that no worker is left with it while another has nothing to do."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


class ByFile(LoadScopeScheduling):
    """Keeps each file on one worker, so that it sets up once, and all browser tests behind one JupyterLab.

    The groups of `--dist loadgroup` would say the same, but pytest 9.2 no longer reads what xdist 3.8 writes.
    """

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return "tests/browser" if path.startswith("tests/browser/") else path


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """No check of signatures, as for a user: where a test hands over bad input, or a stand-in for a model."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


def pytest_xdist_make_scheduler(config: Any, log: Any) -> ByFile:
    """Let pytest-xdist deal out the tests this way."""
    return ByFile(config, log)
