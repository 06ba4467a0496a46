"""The memory film as a reader meets it: live in JupyterLab, and in a file."""

import io
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from course_lib.traces import MemoryTrace
from course_lib.widgets import MemoryFilm

expect = pytest.importorskip("playwright.sync_api").expect

STRANGE = ("<s>", "<script>alert(1)</script>", "$", "", " ", "\n", "\u200b", "سلام", "😀")
LABELS = ["<s>", "<script>alert(1)</script>", "$", "∅", "␣", "⏎", "⟨U+200B⟩", "سلام", "😀"]


def make(steps=4, rows=5, labels=None):
    """Row t is written at step t; the row after it is read, by three quarters."""
    write = np.eye(rows)[np.arange(steps) % rows]
    held = np.cumsum(write, axis=0)[..., None] * np.array([1.0, -1.0])
    seen = np.ones((steps, 2))
    return MemoryTrace(
        write, 0.75 * np.roll(write, 1, axis=1), held, seen, seen, labels or tuple("abcdefghijklm"[:steps])
    )


@pytest.fixture
def opened(tmp_path, exported):
    """Export a film and open the page."""
    return lambda trace, **choices: exported(MemoryFilm(trace, **choices).export_html(tmp_path / "film.html"))


def canvas_of(page):
    return page.locator(".film-stage canvas")


def press(page, *keys):
    canvas_of(page).focus()
    for key in keys:
        page.keyboard.press(key)


def said(page):
    return page.locator(".film-readout").inner_text()


def test_keys_move_along_steps_and_rows(opened):
    page = opened(make())
    last = "Step 4 of 4 “d”: writes most to row 3 (1.00), reads most from row 4 (0.75). "
    assert said(page) == last + "Row 4: written 0.00, read 0.75."
    press(page, "ArrowUp")
    assert said(page) == last + "Row 3: written 1.00, read 0.00."
    press(page, "Home", "r")
    first = "Step 1 of 4 “a”: writes most to row 0 (1.00), reads most from row 1 (0.75). "
    assert said(page) == first + "Row 1: written 0.00, read 0.75."
    press(page, "ArrowRight", "PageUp", "ArrowDown")
    assert said(page) == first + "Row 2: written 0.00, read 0.00."
    assert page.get_by_label("Step", exact=True).input_value() == "1"


def test_the_mouse_chooses_step_and_row(opened):
    page = opened(make(10, 12))
    at = json.loads(canvas_of(page).get_attribute("data-places"))
    write, memory = at["strips"][2], at["memory"]
    x, y = write["left"] + write["wide"] * 2.5 / 10, write["top"] + write["tall"] * 4.5 / 12
    canvas_of(page).click(position={"x": x, "y": y})
    assert said(page).startswith("Step 3 of 10 “c”") and "Row 4:" in said(page)
    canvas_of(page).click(position={"x": memory["left"] + 5, "y": memory["top"] + memory["tall"] * 7.5 / 12})
    assert said(page).startswith("Step 3 of 10 “c”") and "Row 7:" in said(page)


def test_the_memory_is_drawn_as_it_is(opened):
    """Cells of the third row after steps 2 and 3: blank, then green and purple."""
    page = opened(make(), time=1)

    def colours():
        memory = json.loads(canvas_of(page).get_attribute("data-places"))["memory"]
        y = memory["top"] + memory["tall"] * 2.5 / 5
        return page.evaluate(
            """([xs, y]) => {
                const canvas = document.querySelector(".film-stage canvas");
                const ratio = canvas.width / parseFloat(canvas.style.width);
                const pixel = (x) => canvas.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1);
                return xs.map((x) => [...pixel(x).data]);
            }""",
            [[memory["left"] + memory["wide"] * share for share in (0.25, 0.75)], y],
        )

    assert all(min(cell[:3]) > 235 for cell in colours())
    press(page, "ArrowRight")
    (red, green, blue, _), (other_red, other_green, other_blue, _) = colours()
    assert green > max(red, blue) + 30 and min(other_red, other_blue) > other_green + 30


def test_the_film_runs_to_its_end_and_stops(opened):
    page = opened(make())
    button = page.get_by_role("button", name="Film")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert said(page).startswith("Step 1 of 4")
    expect(page.locator(".film-readout")).to_contain_text("Step 4 of 4")
    expect(button).to_have_attribute("aria-pressed", "false")
    press(page, "Home", "p", "p")  # on, and off again before it moves
    page.wait_for_timeout(600)
    assert said(page).startswith("Step 1 of 4")


def test_any_character_stays_text_and_can_be_saved(opened, tmp_path, exported, save):
    page = opened(make(len(STRANGE), labels=STRANGE), time=2)
    page.locator(".course-widget details summary").click()
    rows = page.locator(".course-widget tbody tr")
    expect(rows).to_have_count(len(LABELS))
    assert [row.locator("td").first.text_content() for row in rows.all()] == LABELS
    assert page.locator(".course-widget :is(script, s, td b, th b, bdi b)").count() == 0

    assert save(page, "PNG").startswith(b"\x89PNG")
    svg = ElementTree.parse(io.BytesIO(save(page, "SVG"))).getroot()
    shown = {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"memory after step 3", "weights of reading", "$"} <= shown
    copy = tmp_path / "copy.html"
    copy.write_bytes(save(page, "HTML"))
    assert said(exported(copy)) == said(page)


def test_live_in_lab_it_hides_its_picture_and_tells_the_kernel(notebook, run_code):
    setup = """
import torch
from course_lib.applications.tapes import film
from course_lib.memory.turing_machine import NeuralTuringMachine
from course_lib.widgets import MemoryFilm
widget = MemoryFilm(film(NeuralTuringMachine(2, 3, 4, rows=5, size=3), torch.rand(4, 2), "abcd"))
"""
    page = notebook("film", [setup, "widget", "pass"])
    expect(page.locator(".film-readout")).to_contain_text(re.compile("Step 4 of 4 “d”"))
    expect(page.locator(".course-twin")).to_be_hidden()
    press(page, "ArrowLeft")
    expect(page.locator(".film-readout")).to_contain_text("Step 3 of 4 “c”")
    assert "2" in run_code(page, "widget.view['time']")
