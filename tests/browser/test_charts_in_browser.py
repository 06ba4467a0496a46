"""A chart as a reader meets it in JupyterLab."""

import pytest

expect = pytest.importorskip("playwright.sync_api").expect

CODE = """
from course_lib.figures import Chart
series = {"no <b>attention</b>": [1, 2], "attention": [2, 4]}
Chart("line", series, [5, 9], "It helps", "length", "BLEU", "It helps.")
"""


BARS = """
from course_lib.figures import Chart
Chart("bar", {"BLEU": [3, 2]}, ["4-5", "10-12"], "Short is easy", "length", "BLEU", "Short is easy.")
"""


def test_categories_that_look_like_dates_are_shown_as_they_are(notebook):
    page = notebook("bars", [BARS])
    expect(page.locator(".js-plotly-plot .xtick text")).to_have_text(["4-5", "10-12"])


def test_plotly_draws_it_and_the_picture_beside_it_hides(notebook):
    page = notebook("chart", [CODE])
    plot = page.locator(".js-plotly-plot")
    expect(plot).to_be_visible()
    expect(page.locator(".course-twin")).to_be_hidden()
    assert plot.evaluate("plot => plot.data.map(line => Array.from(line.y))") == [[1, 2], [2, 4]]
    expect(plot.locator(".legendtext").first).to_have_text("no <b>attention</b>")
