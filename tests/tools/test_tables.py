import re

from course_experiments.results import Result
from course_tools import tables
from course_tools.syllabus import load_syllabus

ROWS = load_syllabus()


def number(id: str, published: float | None, command: str) -> Result:
    source = "" if published is None else "Somebody 2015, table 1"
    how = {"seed": 0, "hardware": "one core", "date": "2026-11-27", "command": command}
    return Result(id, "toy", "BLEU | 4, with </s>", 31.25, 0.5, published, source, **how)


def test_results_stand_beside_the_published_ones() -> None:
    entries = [number("toy-a", 30.0, "course train toy"), number("toy-b", None, "course train other")]
    header, _, first, second = tables.results_markdown(entries).splitlines()
    assert header == "| what | ours | published | source of the published value | command |"
    what = "| BLEU \\| 4, with &lt;/s> | 31.25 ± 0.5 |"
    assert first == f"{what} 30 | Somebody 2015, table 1 | `course train toy` |"
    assert second == f"{what} – | – | `course train other` |"


def test_a_column_that_would_say_nothing_is_left_out() -> None:
    header, *_ = tables.results_markdown([number("toy", None, "course train toy")], commands=False).split(
        "\n"
    )
    assert header == "| what | ours |"


def test_index_shows_every_row_with_its_cells() -> None:
    lines = [line for line in tables.syllabus_markdown().splitlines() if line.startswith("| ")]
    shown = {line.split(" | ")[0].strip("| "): line for line in lines}
    for row in ROWS:
        assert shown[row.id].count("○") + shown[row.id].count("◐") == len(row.missing)


def test_index_names_the_file_of_each_system() -> None:
    text = tables.syllabus_markdown("../notebooks/", "../course_lib/")
    lines = {line.split(" | ")[0].strip("| "): line for line in text.splitlines() if line.startswith("| ")}
    for row in ROWS:
        files = re.findall(r"\]\(\.\./course_lib/([^)]+)\)", lines[row.id])
        code = "\n".join((tables.LIBRARY / file).read_text(encoding="utf-8") for file in files)
        for module, name in (reference.split(":") for reference in row.code):
            if module.startswith("course_lib."):
                assert re.search(rf"^(?:class |def )?{name}\b", code, re.MULTILINE), (row.id, name)
    assert "course_lib" not in tables.syllabus_markdown("../notebooks/")


def test_index_links_to_the_lectures_from_where_it_stands() -> None:
    assert "](11_attention.ipynb#" in tables.syllabus_markdown()
    elsewhere = tables.syllabus_markdown("../notebooks/")
    assert "](../notebooks/11_attention.ipynb#" in elsewhere and "](11_attention" not in elsewhere
