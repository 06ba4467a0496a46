"""Without a sandbox, what students' code writes is gone when it has ended."""

import os
import subprocess
import sys
import tempfile
import time

import pytest
from mini_paper import REPOSITORY

from course_tools.sandbox.walls import Limits, Nothing

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows grades nothing")
LEFT = """
from course_tools.sandbox.walls import Limits, Nothing
walled = Nothing().start(["touch", "answer"], [], Limits(), [])
walled.process.wait()
print(walled.folder.name)
"""


def test_its_folder_goes_when_it_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    walled = Nothing().start(["sh", "-c", "touch answer; sleep 600"], [], Limits(), [])
    while not [*tmp_path.glob("course-*/answer")]:
        assert walled.process.poll() is None
        time.sleep(0.01)
    walled.end()
    assert not [*tmp_path.iterdir()]


def test_its_folder_goes_when_a_worker_ends_that_kept_it(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "TMPDIR": str(tmp_path)}
    told = subprocess.run([sys.executable, "-c", LEFT], env=environment, capture_output=True, text=True)
    assert told.returncode == 0 and told.stdout.startswith(str(tmp_path)), told.stderr
    assert not [*tmp_path.iterdir()]
