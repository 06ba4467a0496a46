"""One page a student, with marks and comments, and without hidden tests."""

from pathlib import Path

from course_tools.grading.grade import update_grades
from course_tools.grading.session import LOCKED, GradingError, graded_notebooks, nbgrader_session


def feedback(paper: str, course_dir: Path) -> list[Path]:
    """Write the feedback pages of all graded submissions of a paper.

    A page needs no network: `feedback/<student>/<paper>/<paper>.html`. `grades.csv` is brought up to date
    with what was marked by hand.

    Args:
        paper: a name, such as `ps04_attention`.
        course_dir: the folder that holds `nbgrader_config.py` and the gradebook.

    Returns:
        The pages, sorted by student.

    Raises:
        ValueError: there is no such paper, or nothing of it is graded yet.
        GradingError: pages could not be written; the others were.
    """
    graded = graded_notebooks(paper, course_dir)
    pages, problems = [], []
    with nbgrader_session(course_dir) as api:
        for student in graded:
            answer = api.generate_feedback(paper, student, force=True)
            if answer["success"]:
                pages.append(course_dir / "feedback" / student / paper / f"{paper}.html")
            elif LOCKED in f"{answer['error']} {answer.get('log')}":
                raise GradingError(LOCKED)
            else:
                problems.append(f"{student}: {answer.get('log') or answer['error']}")
        update_grades(api, paper, course_dir)
    if problems:
        raise GradingError("no page could be written for:\n" + "\n".join(problems))
    return pages
