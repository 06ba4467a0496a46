"""A chart as a reader meets it in JupyterLab."""

import re
from io import BytesIO
from unittest.mock import patch

import nbformat
import pytest
from PIL import Image

from course_lib.figures import Chart, display

expect = pytest.importorskip("playwright.sync_api").expect

CODE = """
from course_lib.figures import Chart
series = {"no <b>attention</b>": [1, 2], "attention": [2, 4]}
Chart("line", series, [5, 9], "It helps", "length", "BLEU", "It helps.")
"""


BARS = """
from course_lib.figures import Chart
from course_lib.lecture import set_up
set_up("smoke", 0, 1)
series, errors = {"a": [3, 2], "b": [2, 1]}, {"a": [1, 1], "b": [1, 1]}
Chart("bar", series, ["4-5", "10-12"], "Short is easy", "length", "BLEU", "Easy.", errors=errors)
"""


def test_categories_that_look_like_dates_are_shown_as_they_are(notebook):
    page = notebook("bars", [BARS])
    expect(page.locator(".js-plotly-plot .xtick text")).to_have_text(["4-5", "10-12"])


def test_plotly_draws_it_and_nothing_else_does(notebook):
    page = notebook("chart", [CODE])
    plot = page.locator(".js-plotly-plot")
    expect(plot).to_be_visible()
    expect(page.locator(".course-picture")).to_have_count(0)
    assert plot.evaluate("plot => plot.data.map(line => Array.from(line.y))") == [[1, 2], [2, 4]]
    expect(plot.locator(".legendtext").first).to_have_text("no <b>attention</b>")


def test_in_a_strangers_notebook_it_is_shown_once(saved_notebook, tmp_path):
    """JupyterLab takes the styles out of a notebook that it does not trust."""
    with patch.object(display, "publish_display_data") as published:
        Chart("line", {"a": [1, 2]}, [5, 9], "It helps", "x", "y", "It helps.")._ipython_display_()
    outputs = [nbformat.v4.new_output("display_data", call.args[0]) for call in published.call_args_list]
    cell = nbformat.v4.new_code_cell("chart", outputs=outputs)
    content = nbformat.v4.new_notebook(cells=[cell])
    content.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(content, tmp_path / "strange.ipynb")
    page = saved_notebook(tmp_path / "strange.ipynb")
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    expect(page.locator(".jp-OutputArea-output")).to_have_count(1)
    expect(page.locator(".course-picture")).to_have_count(0)


def test_it_takes_the_colours_of_the_page(notebook):
    page = notebook("dark", [BARS])
    dark = {"--jp-layout-color0": "rgb(17, 17, 17)", "--jp-ui-font-color0": "rgb(250, 250, 250)"}
    for name, colour in dark.items():
        page.evaluate("([name, colour]) => document.body.style.setProperty(name, colour)", [name, colour])
    plot, paper, ink = page.locator(".js-plotly-plot"), *dark.values()
    for part, property, colour in (
        (".main-svg", "backgroundColor", paper),
        (".legend .bg", "fill", paper),
        (".legendtext", "fill", ink),
        (".gtitle", "fill", ink),
        (".xtitle", "fill", ink),
        (".xtick text", "fill", ink),
        (".ytick text", "fill", ink),
        (".yerror", "stroke", ink),
    ):
        style = f"part => getComputedStyle(part).{property}"
        assert plot.locator(part).first.evaluate(style) == colour, part


def test_its_paper_covers_nothing(notebook):
    page = notebook("paper", [BARS])
    plot = page.locator(".js-plotly-plot")
    plot.locator(".bars path").first.wait_for()
    with Image.open(BytesIO(plot.screenshot())) as picture:
        colours = dict(map(reversed, picture.convert("RGB").getcolors(1 << 24)))
    fill = plot.locator(".bars path").first.evaluate("bar => getComputedStyle(bar).fill")
    assert colours[tuple(map(int, re.findall(r"\d+", fill)))] > 1000
