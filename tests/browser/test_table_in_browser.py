"""A table in JupyterLab: every sign as typed, numbers on the right."""

CELL = """
from course_lib.figures import Table

Table(
    {"what": "", "cost in $": ".1f"},
    [("$5 or $6 a |piece|", 1.25), ("<unk> & **bold** `log_prob`", 12)],
    note="where $x^2$ is mathematics",
)
"""


def test_signs_stay_and_numbers_stand_on_the_right(notebook):
    page = notebook("table", [CELL])
    table = page.locator(".jp-RenderedMarkdown table")
    table.wait_for()  # JupyterLab draws it after the cell has ended
    assert table.locator("thead th").all_inner_texts() == ["what", "cost in $"]
    assert table.locator("td").all_inner_texts() == [
        *("$5 or $6 a |piece|", "1.2"),
        *("<unk> & bold log_prob", "12.0"),
    ]
    page.locator(".jp-RenderedMarkdown mjx-container").wait_for(
        state="attached"
    )  # mathematics was looked for
    assert table.locator("mjx-container").count() == 0
    assert table.locator("strong").inner_text() == "bold"
    sides = table.locator("td").evaluate_all("cells => cells.map(cell => getComputedStyle(cell).textAlign)")
    assert ["right" in side for side in sides] == [False, True] * 2
