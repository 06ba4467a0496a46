"""How fast grading is, beside stock nbgrader on the same submissions, in one run."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from course_experiments.speed.harness import Benchmark, timed
from course_tools.grading.release import release
from course_tools.grading.session import CONFIG_NAME, GradingError, check_paper, nbgrader_session

_OURS = """
import sys
from pathlib import Path
from course_tools.grading import grade

grade(sys.argv[1], Path(sys.argv[2]), Path.cwd())
"""


def grading_speed(course_dir: Path, paper: str = "ps04_attention", submissions: int = 100) -> Benchmark:
    """Grade the solved paper several times, by `course grade` on one core and by `nbgrader autograde`.

    Args:
        course_dir: the folder that holds `nbgrader_config.py` and `solutions/`.
        paper: a name.
        submissions: how many; a class, since what either does once for all is a few seconds.

    Returns:
        Seconds a submission. All that either does for the batch counts, its start included.

    Raises:
        ValueError: there is no such paper.
        GradingError: one of them failed, or they give different marks.
    """
    source = check_paper(paper, course_dir)
    with tempfile.TemporaryDirectory(prefix="course-") as folder:
        course = Path(folder, "course")
        (course / "solutions" / paper).mkdir(parents=True)
        shutil.copy(source, course / "solutions" / paper)
        shutil.copy(course_dir / CONFIG_NAME, course)
        release(paper, course)
        for number in range(submissions):
            student = course / "submitted" / f"student{number}" / paper
            student.mkdir(parents=True)
            shutil.copy(source, student)
        _, ours = timed(lambda: _run(course, sys.executable, "-c", _OURS, paper, "submitted"))
        marks = _marks(course, paper)
        shutil.rmtree(course / "autograded")
        nbgrader = shutil.which("nbgrader", path=sysconfig.get_path("scripts")) or "nbgrader"
        _, theirs = timed(lambda: _run(course, nbgrader, "autograde", paper))
        if _marks(course, paper) != marks:
            raise GradingError(f"marks differ: {marks} and {_marks(course, paper)}; no fair comparison")
    name = f"grading {submissions} submissions of {paper}, seconds of each on one core"
    each = ours / submissions, theirs / submissions
    return Benchmark(name, "nbgrader autograde", *each, target=0.2, how="one run of each")


def _marks(course: Path, paper: str) -> dict[str, float]:
    with nbgrader_session(course) as api, api.gradebook as gradebook:
        return {mark.student_id: mark.score for mark in gradebook.assignment_submissions(paper)}


def _run(course: Path, *command: str) -> None:
    library = str(Path(__file__).parents[2])
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": library}
    done = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise GradingError(f"{Path(command[0]).name} failed. It says:\n{done.stderr[-2000:]}")
