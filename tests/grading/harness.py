"""Every paper, with the answers that staff keep beside it (see `kept_answers`)."""

from functools import cache
from pathlib import Path

from kept_answers import Answer, read_answers

from course_tools.grading.solved_paper import SolvedPaper

SOLUTIONS = Path(__file__).parents[2] / "solutions"


class KeptPaper(SolvedPaper):
    """A source notebook, cut into exercises, and what staff keep beside it."""

    def answers(self) -> list[Answer]:
        return read_answers(self.path.parent / "answers", self.exercises())


@cache
def papers() -> tuple[KeptPaper, ...]:
    """Return every paper that there is."""
    return tuple(KeptPaper(path) for path in sorted(SOLUTIONS.glob("*/*.ipynb")))
