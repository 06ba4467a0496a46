"""The lattice view as a reader meets it: in a file, by keys and by mouse, and live in JupyterLab."""

import io
import json
import re
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
import torch

from course_lib.decoding.lattice_record import record_lattice
from course_lib.widgets import LatticeView

expect = pytest.importorskip("playwright.sync_api").expect


def make():
    """Blank .6, a label .4 at both steps, under a picture that is dark at both ends."""
    log_probs = torch.tensor([[0.6, 0.4], [0.6, 0.4]]).log()
    picture = np.repeat(np.array([[0, 255, 0]], np.uint8), 20, axis=0)
    return record_lattice(log_probs, [[1], []], ("∅", "<b>a</b>"), picture)


@pytest.fixture
def opened(tmp_path, exported):
    """Export a view and open the page."""
    return lambda **choices: exported(LatticeView(make(), **choices).export_html(tmp_path / "page.html"))


def canvas_of(page):
    return page.locator(".lattice-stage canvas")


def press(page, *keys):
    canvas_of(page).focus()
    for key in keys:
        page.keyboard.press(key)


def said(page):
    return page.locator(".lattice-readout").inner_text()


def test_keys_choose_step_state_map_and_labelling(opened):
    page = opened()
    assert said(page) == (
        "Step 0, state 1 “<b>a</b>”: the network says 0.4; α = 0.400, β = 1.00; posterior 0.625."
    )
    press(page, "ArrowRight", "ArrowRight", "m")
    assert said(page) == "Step 1, state 2 “∅”: the network says 0.6; α = 0.240, β = 1.00; forward 0.240."
    press(page, "ArrowUp", "ArrowUp", "ArrowUp")
    assert "state 0 “∅”: the network says 0.6; α = 0.360, β = 0.00; forward 0.360." in said(page)
    press(page, "Home")
    assert said(page).startswith("Step 0, state 1")  # at another step, the state of the likeliest path again
    press(page, "l")
    assert said(page) == "Step 0, state 0 “∅”: the network says 0.6; α = 0.600, β = 0.600; forward 1.000."
    assert page.get_by_label("Labelling", exact=True).input_value() == "1"
    names = page.get_by_label("Labelling", exact=True).locator("option").all_inner_texts()
    assert [" ".join(name.split()) for name in names] == ["<b>a</b> (p = 0.64)", "∅ (p = 0.36)"]


def test_a_button_chooses_its_map_and_the_mouse_a_state(opened):
    page = opened()
    page.get_by_role("button", name="backward").click()
    expect(page.get_by_role("button", name="backward")).to_have_attribute("aria-pressed", "true")
    at = json.loads(canvas_of(page).get_attribute("data-places"))
    canvas_of(page).click(position={"x": at["left"] + 1.5 * at["wide"], "y": at["map"] + 1.5 * at["high"]})
    assert "Step 1, state 1" in said(page) and "backward 0.500" in said(page)


def test_the_picture_spans_the_steps_and_the_map_its_states(opened):
    page = opened()
    at = json.loads(canvas_of(page).get_attribute("data-places"))
    shot = matplotlib.image.imread(io.BytesIO(canvas_of(page).screenshot()))[..., :3]
    middle = at["picture"] // 2
    first, bright, last = (shot[middle, int(at["left"] + step * at["wide"])] for step in (0.1, 1, 1.9))
    assert first.max() < 0.2 and bright.min() > 0.8 and last.max() < 0.2
    corner = shot[int(at["map"] + 2.2 * at["high"]), int(at["left"] + 0.2 * at["wide"])]
    assert corner[2] > corner[0] + 0.15  # no path is in the last state at the first step: dark blue


def test_the_table_and_what_is_saved(opened, tmp_path, exported, save):
    page = opened()
    page.locator("details summary").click()
    rows = page.locator("details tbody tr").all_inner_texts()
    assert [row.split("\t") for row in rows] == [["0", "<b>a</b>", "0.4"], ["1", "∅", "0.6"]]

    assert save(page, "PNG").startswith(b"\x89PNG")
    svg = ElementTree.parse(io.BytesIO(save(page, "SVG"))).getroot()
    texts = {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"step", "∅", "1"} <= texts
    copy = tmp_path / "copy.html"
    copy.write_bytes(save(page, "HTML"))
    assert said(exported(copy)) == said(page)


def test_live_in_lab_it_hides_its_picture_and_tells_the_kernel(notebook, run_code):
    setup = (
        "import torch\n"
        "from course_lib.decoding.lattice_record import record_lattice\n"
        "from course_lib.widgets import LatticeView\n"
        "said = torch.tensor([[.6, .4], [.6, .4]]).log()\n"
        "widget = LatticeView(record_lattice(said, [[1], []], ('∅', 'a')))"
    )
    page = notebook("lattice", [setup, "widget", "pass"])
    expect(page.locator(".lattice-readout")).to_contain_text(re.compile("Step 0, state 1"))
    expect(page.locator(".course-twin")).to_be_hidden()
    press(page, "ArrowRight")
    expect(page.locator(".lattice-readout")).to_contain_text(re.compile("Step 1, state 2"))
    assert "1" in run_code(page, "widget.view['time']")
