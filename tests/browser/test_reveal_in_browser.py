"""An answer that is held back, in JupyterLab: its cell shows nothing until it is opened, by mouse or key."""

CELLS = [
    """
from course_lib.figures import Chart
from course_lib.lecture import reveal

reveal("Open <it>")
print("the printed answer")
Chart("bar", {"a": [1, 2]}, ["x", "y"], "The answer in a title", "x", "y", "alt")
""",
    "print('another cell')",
]


def test_outputs_of_the_cell_wait_until_it_is_opened(notebook):
    page = notebook("reveal", CELLS)
    summary = page.get_by_text("Open <it>", exact=True)
    printed = page.locator(".jp-OutputArea-output pre", has_text="the printed answer")
    chart = page.locator(".js-plotly-plot")
    chart.wait_for(state="attached")
    assert summary.is_visible() and page.get_by_text("another cell", exact=True).is_visible()
    assert not printed.is_visible() and not chart.is_visible()
    assert page.locator(".jp-OutputArea").first.bounding_box()["height"] < 100

    summary.press("Enter")
    printed.wait_for(state="visible")
    assert chart.is_visible() and chart.locator(".main-svg").first.bounding_box()["width"] > 500
    summary.click()
    printed.wait_for(state="hidden")
