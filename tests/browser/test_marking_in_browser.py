"""Marking by hand, as a grader does it: formgrader with our pages, in a real browser, without a network."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from course_tools.grading import grade, release

sys.path.append(str(Path(__file__).parents[1] / "grading"))
from mini_paper import PAPER, RIGHT, answered, make_course

ESSAY = """It is linear: $f(x) = \\frac{x}{2}$, read <s> a </s>

<img src=x onerror='document.title = "hacked"'>"""
START = """from pathlib import Path
from course_tools.grading.marking import mark
mark({!r}, Path({!r}), True, {})"""


@pytest.fixture
def address(tmp_path):
    """Grade one submission of a student in the roster, and serve formgrader on it."""
    course = make_course(tmp_path / "course")
    release(PAPER, course)
    paper = nbformat.read(course / "assignments" / PAPER / f"{PAPER}.ipynb", as_version=4)
    (course / "in").mkdir()
    (course / "in" / "al7.ipynb").write_text(json.dumps(answered(paper, **RIGHT, why=ESSAY)))
    (course / "roster.csv").write_text("student,First name,Last name\nal7,Ann,Lee\n")
    (course / "course.toml").write_text('roster = "roster.csv"\n')
    grade(PAPER, course / "in", course)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folders = {
        name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    }
    log = tmp_path / "server.log"
    with log.open("w") as file:
        server = subprocess.Popen(
            [sys.executable, "-c", START.format(PAPER, str(course), port)],
            stdout=file,
            stderr=file,
            env={**os.environ, **folders},
            start_new_session=True,
        )
    try:
        yield _wait_for_address(server, log), course
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(20)


def _wait_for_address(server, log):
    end = time.time() + 120
    while not (found := re.search(r"The course is at (http\S+)", log.read_text())):
        if server.poll() is not None or time.time() > end:
            raise RuntimeError(f"formgrader did not start:\n{log.read_text()[-3000:]}")
        time.sleep(0.2)
    return found[1].replace("localhost", "127.0.0.1")


def test_an_essay_is_marked_beside_the_model_answer(address, watched):
    place, course = address
    page = watched()
    marks_on_their_way = []
    page.route("**/api/grades?*", lambda route: marks_on_their_way.append(route))
    page.goto(place)
    page.get_by_role("link", name="Submission #1").click()
    beside = page.locator(".beside")
    beside.wait_for()
    assert page.get_by_text("Lee, Ann").count() >= 1
    assert "Because doubling is linear." in beside.locator(".model-answer").inner_text()
    assert "read <s> a </s>" in beside.inner_text() and "onerror=" in beside.inner_text()
    assert beside.locator("math mfrac").count() == 1
    assert page.title() == PAPER
    score = page.locator("input.score#why")
    while not marks_on_their_way:
        page.wait_for_timeout(50)
    assert not score.is_editable()  # formgrader would lose what is typed before its marks arrive
    marks_on_their_way[0].continue_()
    score.fill("2")
    score.press("Tab")
    page.wait_for_function("() => document.querySelector('input.score#why').value === '2'")
    end = time.time() + 30
    while time.time() < end:
        with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
            if gradebook.find_grade("why", PAPER, PAPER, "al7").manual_score == 2:
                return
        time.sleep(0.2)
    pytest.fail("the mark did not reach the gradebook")
