import json
import os
import sys

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from mini_paper import PAPER, make_course
from sqlalchemy import create_engine

from course_tools.grading.session import nbgrader_session, papers


@pytest.fixture
def course(tmp_path):
    return make_course(tmp_path / "a course")


def test_kernels_run_this_interpreter_whatever_is_installed(course, tmp_path, monkeypatch):
    kernel = tmp_path / "kernels" / "python3"
    kernel.mkdir(parents=True)
    other = {"argv": ["/nowhere/python"], "display_name": "Other", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(other))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    assert KernelSpecManager().get_kernel_spec("python3").argv == ["/nowhere/python"]
    with nbgrader_session(course):
        assert KernelSpecManager().get_kernel_spec("python3").argv[0] == sys.executable


def test_the_environment_comes_back_even_after_an_error(course, monkeypatch):
    monkeypatch.delenv("IPYTHONDIR", raising=False)
    before = dict(os.environ)
    with pytest.raises(RuntimeError), nbgrader_session(course):
        assert "IPYTHONDIR" in os.environ
        raise RuntimeError
    assert dict(os.environ) == before


def test_the_courses_settings_are_read_and_can_be_changed(course):
    with nbgrader_session(course, release_directory="elsewhere") as api:
        directory = api.coursedir
        assert directory.root == str(course)
        assert create_engine(directory.db_url).connect().get_isolation_level()  # opens the file
        assert (course / "gradebook.db").exists()
        assert "timeout=120" in directory.db_url
        assert (directory.source_directory, directory.release_directory) == ("solutions", "elsewhere")
        assert directory.course_id


def test_a_paper_is_a_folder_with_a_notebook_of_its_name(course):
    (course / "solutions" / "notes").mkdir()
    (course / "solutions" / "notes" / "other.ipynb").write_text("{}")
    assert papers(course) == (PAPER,)
