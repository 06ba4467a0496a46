"""How the tests share workers and kernels, and the settings of hypothesis."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
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
    """No check of signatures, as for a user.

    For a test that hands over bad input or a stand-in for a model, or that searches so often that checking
    would take most of its time.
    """
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


def pytest_xdist_make_scheduler(config: Any, log: Any) -> ByFile:
    """Let pytest-xdist deal out the tests this way."""
    return ByFile(config, log)


@pytest.fixture(scope="session")
def warm_jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for JUPYTER_PATH, whose kernel "python3" starts at once, on Linux; see `warm_kernels`."""
    folder = tmp_path_factory.mktemp("jupyter")
    if sys.platform != "linux":
        yield folder
        return
    address, program = folder / "asked", Path(__file__).parent / "warm_kernels.py"
    kernel = {
        "argv": [sys.executable, "-IS", str(program), str(address), "-f", "{connection_file}"],
        "display_name": "Python 3",
        "language": "python",
    }
    specification = folder / "kernels/python3/kernel.json"
    specification.parent.mkdir(parents=True)
    specification.write_text(json.dumps(kernel))
    server = subprocess.Popen([sys.executable, program, address])
    try:
        while not address.exists():
            assert server.poll() is None, "the server of kernels did not start"
            time.sleep(0.1)
        yield folder
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def warm_kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels of this test start at once; but lectures as they are taught run in those that users have."""
    if os.environ.get("PRESET", "smoke") == "smoke":
        monkeypatch.setenv("JUPYTER_PATH", str(request.getfixturevalue("warm_jupyter")))
