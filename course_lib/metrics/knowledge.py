"""What does a language model know? Count in what it writes: real words, the form of a play, brackets."""

import math
import re
import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple

from course_lib.data.letters import MARKS

CLOSING = {")": "(", "]": "[", "}": "{"}
SPEAKER = re.compile(r"[A-Z][A-Za-z' ]*:")


class Estimate(NamedTuple):
    """A mean over texts, and how they spread."""

    mean: float
    deviation: float  # standard deviation of one text
    texts: int

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation / math.sqrt(self.texts)


def letters(text: str) -> list[str]:
    """Return the words of a text, in small letters: runs of letters and apostrophes."""
    return re.findall(rf"[^\W\d_](?:[^\W\d_]|[{MARKS}'])*", text.lower())


def real_words(text: str, known: set[str]) -> float:
    """Return the share, 0 to 1, of known words, without the last one, which may be cut; NaN of none."""
    found = letters(text)[:-1]
    return sum(word in known for word in found) / len(found) if found else math.nan


def speeches(text: str) -> float:
    """Return the share, 0 to 1, of paragraphs that are a name with a colon and then a line; NaN of none.

    The first and the last paragraph are left out: they may be cut.
    """
    paragraphs = text.split("\n\n")[1:-1]
    good = [SPEAKER.fullmatch(p.partition("\n")[0]) and "\n" in p for p in paragraphs]
    return sum(map(bool, good)) / len(good) if good else math.nan


class Brackets(NamedTuple):
    """How the brackets of a text fit, over all that close."""

    right: int  # close the bracket that was opened last
    late: int  # close one that was opened earlier, and leave those after it open
    stray: int  # close what was never opened


def brackets(text: str) -> Brackets:
    """Read a text with a stack, as a compiler does, and count its closing brackets: ) ] }."""
    right = late = stray = 0
    open_: list[str] = []
    for character in text:
        if character in CLOSING.values():
            open_.append(character)
        elif (opener := CLOSING.get(character)) is not None:
            if opener not in open_:
                stray += 1
                continue
            right += open_[-1] == opener
            late += open_[-1] != opener
            while open_.pop() != opener:
                pass
    return Brackets(right, late, stray)


def fitting_brackets(text: str) -> float:
    """Return the share of closing brackets, 0 to 1, that close the bracket opened last; NaN of none."""
    count = brackets(text)
    return count.right / sum(count) if sum(count) else math.nan


def paired_quotes(text: str) -> float:
    """Return the share, 0 to 1, of lines with double quotes that have an even number; NaN of none.

    Three in a row, as around a long string, do not count.
    """
    counts = [line.replace('"""', "").count('"') for line in text.split("\n")[:-1]]
    quoted = [count for count in counts if count]
    return sum(count % 2 == 0 for count in quoted) / len(quoted) if quoted else math.nan


def estimate(measure: Callable[[str], float], texts: Sequence[str]) -> Estimate:
    """Return the mean of a measure over texts and its spread; texts without a value do not count.

    Raises:
        ValueError: fewer than two texts have a value.
    """
    values = [value for text in texts if not math.isnan(value := measure(text))]
    if len(values) < 2:
        raise ValueError(f"texts with a value are {len(values)}; allowed is 2 or more")
    return Estimate(statistics.fmean(values), statistics.stdev(values), len(values))
