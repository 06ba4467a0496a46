"""The overlay view as a reader meets it: in a file, by keys and by mouse, and live in JupyterLab."""

import io
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest

from course_lib.traces import OverlayTrace
from course_lib.widgets import OverlayView

expect = pytest.importorskip("playwright.sync_api").expect


def make(steps=("a cat", "<b>dog</b>", "nothing")):
    """Both kinds are largest in the upper left, with the second step in the lower right; then all is 0."""
    maps = np.zeros((2, len(steps), 2, 2, 2))
    maps[:, 0, :, 0, 0] = maps[:, 1, :, 1, 1] = 2
    maps[:, :, 1] /= 4
    pictures = np.zeros((2, 16, 16, 3), np.uint8)
    pictures[1] = 255
    return OverlayTrace(pictures, ("black", "white"), maps, (steps, steps), ("CAM", "Grad-CAM"))


@pytest.fixture
def opened(tmp_path, exported):
    """Export a view and open the page."""
    return lambda **choices: exported(OverlayView(make(), **choices).export_html(tmp_path / "page.html"))


def canvas_of(page):
    return page.locator(".overlay-stage canvas")


def press(page, *keys):
    canvas_of(page).focus()
    for key in keys:
        page.keyboard.press(key)


def said(page):
    return page.locator(".overlay-readout").inner_text()


def colour(page, panel, across, down):
    """A pixel of a panel, at shares of its width and height."""
    at = json.loads(canvas_of(page).get_attribute("data-places"))
    shot = matplotlib.image.imread(io.BytesIO(canvas_of(page).screenshot()))[..., :3]
    left, top = at["panels"][panel]["left"], at["panels"][panel]["top"]
    return shot[int(top + down * at["tall"]), int(left + across * at["wide"])]


def test_keys_choose_step_strength_and_picture(opened):
    page = opened()
    first = "CAM is largest at row 1, column 1; Grad-CAM is largest at row 1, column 1."
    assert said(page) == f"“a cat”: {first}"
    press(page, "ArrowRight")
    assert said(page) == f"“<b>dog</b>”: {first.replace('1', '13')}"
    press(page, "End", "ArrowRight")
    assert said(page) == "“nothing”: CAM is 0 everywhere; Grad-CAM is 0 everywhere."
    press(page, "Home", "ArrowUp", "i")
    assert said(page) == f"“a cat”: {first}"
    assert page.get_by_label("Strength", exact=True).input_value() == "70"
    assert page.get_by_label("Picture", exact=True).input_value() == "1"


def test_a_button_chooses_its_step_and_the_mouse_reads_numbers(opened):
    page = opened()
    page.get_by_role("button", name="<b>dog</b>").click()
    expect(page.get_by_role("button", name="<b>dog</b>")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="a cat")).to_have_attribute("aria-pressed", "false")
    at = json.loads(canvas_of(page).get_attribute("data-places"))
    end = at["panels"][1]
    where = {"x": end["left"] + at["wide"] * 15.5 / 16, "y": end["top"] + at["tall"] * 15.5 / 16}
    canvas_of(page).hover(position=where)
    assert said(page) == "“<b>dog</b>” at row 16, column 16: CAM 1.00, Grad-CAM 1.00."
    canvas_of(page).hover(position={"x": 2, "y": 2})
    assert "is largest at row 13, column 13" in said(page)


def test_strength_leads_from_the_picture_to_the_map(opened):
    page = opened(strength=0)
    assert colour(page, 1, 0.98, 0.98).max() < 0.05  # the black picture alone
    slider = page.get_by_label("Strength", exact=True)
    slider.focus()
    slider.press("End")
    dark, bright = colour(page, 1, 0.98, 0.98), colour(page, 1, 0.15, 0.15)
    assert dark[2] > dark[0] + 0.15 and bright[0] > bright[2] + 0.5  # blue at 0, yellow at the largest
    assert colour(page, 0, 0.5, 0.5).max() < 0.05  # the first panel stays the picture
    press(page, "i")
    np.testing.assert_allclose(colour(page, 1, 0.98, 0.98), dark, atol=0.02)


def test_the_slider_moves_step_map_and_next_words_together(tmp_path, exported):
    words = ((("cat", "<b>"), ("dog", "$"), ("end", "")),) * 2
    chances = np.array([[[0.75, 0.25], [0.5, 0.125], [1, 0]]] * 2)
    trace = replace(make(), candidates=words, candidate_probabilities=chances)
    page = exported(OverlayView(trace).export_html(tmp_path / "page.html"))
    slider = page.get_by_label("Step", exact=True)
    assert slider.get_attribute("aria-valuetext") == "a cat"
    assert page.locator(".course-bars bdi").all_inner_texts() == ["cat", "<b>"]
    slider.focus()
    slider.press("ArrowRight")
    assert "row 13, column 13" in said(page) and slider.get_attribute("aria-valuetext") == "<b>dog</b>"
    assert page.locator(".course-bars bdi").all_inner_texts() == ["dog", "$"]
    assert page.locator(".course-bars b").all_inner_texts() == ["0.50", "0.13"]
    page.get_by_role("button", name="nothing").click()
    assert slider.input_value() == "2"


def test_without_likeliest_words_there_is_no_room_for_them(opened):
    expect(opened().locator(".overlay-answers")).to_be_hidden()


def test_the_table_and_what_is_saved(opened, tmp_path, exported, save):
    page = opened(step=1)
    page.locator("details summary").click()
    rows = page.locator("details tbody tr")
    expect(rows).to_have_count(3)
    assert rows.nth(1).inner_text().split("\t") == ["<b>dog</b>", *["row 13, column 13"] * 2]
    assert rows.nth(2).inner_text().split("\t") == ["nothing", "nowhere", "nowhere"]

    assert save(page, "PNG").startswith(b"\x89PNG")
    svg = ElementTree.parse(io.BytesIO(save(page, "SVG"))).getroot()
    assert {"black", "CAM"} <= {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert [image.get("href")[:14] for image in svg.iter("{http://www.w3.org/2000/svg}image")] == [
        "data:image/png"
    ] * 3
    copy = tmp_path / "copy.html"
    copy.write_bytes(save(page, "HTML"))
    assert said(exported(copy)) == said(page)


def test_live_in_lab_it_hides_its_picture_and_tells_the_kernel(notebook, run_code):
    setup = (
        "import numpy as np\n"
        "from course_lib.traces import OverlayTrace\n"
        "from course_lib.widgets import OverlayView\n"
        "maps, picture = np.eye(2)[None, :, None, None], np.zeros((1, 8, 8, 3), np.uint8)\n"
        "widget = OverlayView(OverlayTrace(picture, ('one',), maps, (('left', 'right'),), ('looks',)))"
    )
    page = notebook("overlay", [setup, "widget", "pass"])
    expect(page.locator(".overlay-readout")).to_contain_text(re.compile("left.*column 1"))
    expect(page.locator(".course-twin")).to_be_hidden()
    press(page, "ArrowRight")
    expect(page.locator(".overlay-readout")).to_contain_text(re.compile("right.*column 7"))
    assert "1" in run_code(page, "widget.view['step']")
