"""Tables of the register, for lectures."""

from collections.abc import Mapping
from dataclasses import dataclass

from course_experiments.results import result
from course_lib.figures.tables import Table


@dataclass(frozen=True)
class Column:
    """One measure of several subjects.

    Args:
        id: id of the results, with {} where the subject's name stands, such as "reading-{}-perplexity".
        format: specification of the numbers, such as ".1f".
        published: whether the literature's value is shown, in the place of ours and its spread.
    """

    id: str
    format: str
    published: bool = False


def result_table(
    what: str, subjects: Mapping[str, str], columns: Mapping[str, Column], note: str = ""
) -> Table:
    """Draw numbers of the register: a row a subject, a column a measure.

    Args:
        what: title of the first column: what the subjects are.
        subjects: label of a row -> the subject's name in the ids.
        columns: title -> what stands below.
        note: Markdown below the table.

    Returns:
        the table; a value has its spread beside it where one was measured, and a dash stands where the
        literature has no value.

    Raises:
        KeyError: a number is not in the register.
    """
    rows = []
    for label, subject in subjects.items():
        entries = [(column, result(column.id.format(subject))) for column in columns.values()]
        rows.append([label, *(entry.published if column.published else entry for column, entry in entries)])
    return Table({what: "", **{title: column.format for title, column in columns.items()}}, rows, note)
