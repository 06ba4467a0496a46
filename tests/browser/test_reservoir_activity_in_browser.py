"""The reservoir activity as a reader meets it: live in JupyterLab, and in a file."""

import io
import json
import math
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest

from course_lib.traces import ReservoirTrace
from course_lib.widgets import ReservoirActivity

expect = pytest.importorskip("playwright.sync_api").expect

STRANGE = ("<script>alert(1)</script>", "$x$", "سلام 😀")


def make(steps=10, units=3, inputs=1, **others):
    """A unit's activity tells its place and the step: a tenth for each unit, a part of it for the step."""
    place, step = np.arange(units)[None], np.arange(steps)[:, None]
    activity = (place + step / steps) / units
    series = step + np.arange(inputs)[None] * 1000
    return ReservoirTrace(activity, np.arange(units) * 5, series, **others)


@pytest.fixture
def opened(tmp_path, exported):
    """Export a reservoir and open the page."""
    return lambda trace, **choices: exported(
        ReservoirActivity(trace, **choices).export_html(tmp_path / "reservoir.html")
    )


def canvas_of(page):
    return page.locator(".reservoir-stage canvas")


def places(page):
    return json.loads(canvas_of(page).get_attribute("data-places"))


def press(page, *keys):
    canvas_of(page).focus()
    for key in keys:
        page.keyboard.press(key)


def said(page):
    return page.locator(".reservoir-readout").inner_text()


def test_keys_move_along_steps_and_units(opened):
    outputs = np.full((10, 1), np.nan)
    outputs[2:] = 0.5
    page = opened(make(outputs=outputs, targets=outputs * 2, spikes=make().activity > 0.9))
    assert said(page) == "Step 1: input 0, output –, target –, unit 0 0"
    press(page, "ArrowRight", "ArrowRight", "ArrowDown")
    assert said(page) == "Step 3: input 2, output 0.5, target 1, unit 5 0.4"
    press(page, "End", "ArrowRight", "ArrowDown", "ArrowDown")
    assert said(page) == "Step 10: input 9, output 0.5, target 1, unit 10 0.9667 (a spike)"
    unit = page.get_by_label("Unit", exact=True)
    unit.fill("4")  # not shown; the next one is
    unit.press("Enter")
    assert said(page).endswith("unit 5 0.6333")
    press(page, "Home")
    assert said(page).startswith("Step 1:")


def test_a_long_run_is_walked_through_a_window(opened):
    page = opened(make(3000, 40, first_step=501), span=200)
    assert places(page)["start"] == 0
    press(page, "PageDown", "PageDown", "ArrowRight")
    assert said(page).startswith("Step 902: input 401,")
    at = places(page)
    assert at["start"] <= 401 < at["start"] + at["shown"] == at["start"] + 200
    press(page, "-")
    assert places(page)["shown"] == 500
    press(page, "+", "+")
    assert places(page)["shown"] == 100
    small = places(page)["overview"]
    x, y = at["left"] + at["across"] * 0.75, small["top"] + small["tall"] / 2
    canvas_of(page).click(position={"x": x, "y": y})
    step = int(said(page).split()[1].strip(":"))
    assert step == pytest.approx(501 + 2250, abs=4)
    canvas_of(page).hover(position={"x": at["left"] + 50, "y": at["map"]["top"] + 50})
    page.mouse.wheel(100, 0)
    page.mouse.move(0, 0)
    page.wait_for_function(
        f"!document.querySelector('.reservoir-readout').innerText.startsWith('Step {step}:')"
    )
    assert said(page).startswith(f"Step {step + 5}:")
    page.get_by_label("Steps at once").select_option("all")
    at = places(page)
    assert (at["shown"], at["overview"]) == (3000, None)


def test_the_mouse_reads_a_cell_whose_colour_is_its_value(opened):
    trace = make()
    page = opened(trace)
    at = places(page)
    for step, unit in ((0, 0), (4, 1), (9, 2)):
        x = at["left"] + (step + 0.3) / 10 * at["across"]
        y = at["map"]["top"] + (unit + 0.5) / 3 * at["map"]["tall"]
        canvas_of(page).hover(position={"x": x, "y": y})
        value = trace.activity[step, unit]
        assert said(page) == f"Step {step + 1}: input {step}, unit {unit * 5} {float(f'{value:.4g}'):g}"
        found = page.evaluate(
            """([x, y]) => {
                const canvas = document.querySelector(".reservoir-stage canvas");
                const ratio = canvas.width / parseFloat(canvas.style.width);
                return [...canvas.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1).data].slice(0, 3);
            }""",
            [x, y],
        )
        wanted = matplotlib.colormaps["cividis"](round(255 * float(value)))[:3]
        assert found == pytest.approx([255 * part for part in wanted], abs=1)


def test_any_character_stays_text_and_can_be_saved(opened, tmp_path, exported, save):
    page = opened(make(inputs=3, input_names=STRANGE, title="<b>x</b>", free_from=5))
    told = ", ".join(f"input {name} {i * 1000}" for i, name in enumerate(STRANGE))
    assert said(page) == f"Step 1: {told}, unit 0 0"
    page.locator(".course-widget details summary").click()
    page.locator("thead th").first.wait_for()  # it is filled when it opens
    head = page.locator("thead th").all_text_contents()
    assert head == ["step", *(f"input {name}" for name in STRANGE), "unit 0"]
    assert page.locator("tbody tr").count() == 10
    assert page.locator(".course-widget :is(script, b)").count() == 0

    assert save(page, "PNG").startswith(b"\x89PNG")
    svg = ElementTree.parse(io.BytesIO(save(page, "SVG"))).getroot()
    shown = {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"What it hears", "Unit 0", "hears itself ▸"} <= shown
    copy = tmp_path / "copy.html"
    copy.write_bytes(save(page, "HTML"))
    assert said(exported(copy)) == said(page)


def test_live_in_lab_it_hides_its_picture_and_tells_the_kernel(notebook, run_code):
    setup = """
import numpy as np
from course_lib.reservoir import EchoStateNetwork
from course_lib.traces import ReservoirTrace
from course_lib.widgets import ReservoirActivity
series = np.sin(np.arange(50) / 3)[:, None]
states, _ = EchoStateNetwork(1, 1, 30).listen(series)
widget = ReservoirActivity(ReservoirTrace.from_states(states, series))
"""
    page = notebook("reservoir", [setup, "widget", "pass"])
    expect(page.locator(".reservoir-readout")).to_contain_text("Step 1: input 0, unit")
    expect(page.locator(".course-twin")).to_be_hidden()
    press(page, "PageDown", "ArrowDown")
    expect(page.locator(".reservoir-readout")).to_contain_text(f"Step 50: input −{-math.sin(49 / 3):.4f}")
    assert "(49, True)" in run_code(
        page, "widget.view['time'], widget.view['unit'] == widget.trace.units.tolist()[1]"
    )
