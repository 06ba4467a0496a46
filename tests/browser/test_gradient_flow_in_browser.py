"""The gradient flow as a reader meets it: live in JupyterLab, and in a file."""

import io
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from course_lib.figures.theme import LIGHT
from course_lib.traces import GradientTrace
from course_lib.widgets import GradientFlow

expect = pytest.importorskip("playwright.sync_api").expect

STRANGE = ("<s>", "<script>alert(1)</script>", "$", "", " ", "\n", "\u200b", "سلام", "😀")
LABELS = ["<s>", "<script>alert(1)</script>", "$", "∅", "␣", "⏎", "⟨U+200B⟩", "سلام", "😀"]


def make(steps=4, inputs=None, slopes=(-1.0, 0.5, 0.0), names=("shrinks", "grows", "<b>$</b>")):
    """Models whose gradient changes by so many powers of ten a step back; a loss at each step, and all."""
    back = np.arange(steps)[:, None] - np.arange(steps)
    logs = np.array([np.where(back < 0, -np.inf, slope * back) for slope in slopes])
    logs = np.concatenate([logs[:, -1:], logs], axis=1)
    return GradientTrace(
        logs,
        names,
        np.arange(-1, steps),
        np.full(len(slopes), 7),
        inputs or tuple("abcdefghij" * steps)[:steps],
    )


@pytest.fixture
def opened(tmp_path, exported):
    """Export a flow and open the page."""
    return lambda trace, **choices: exported(
        GradientFlow(trace, **choices).export_html(tmp_path / "flow.html")
    )


def canvas_of(page):
    return page.locator(".flow-stage canvas")


def press(page, *keys):
    canvas_of(page).focus()
    for key in keys:
        page.keyboard.press(key)


def said(page):
    return page.locator(".flow-readout").inner_text()


def test_keys_move_along_steps_losses_and_models(opened):
    page = opened(make(), loss=3)
    assert said(page) == "Step 4 of 4 “d”, shrinks (7 units): ‖∂L/∂h₄‖ = 1"
    press(page, "ArrowLeft", "ArrowLeft")
    shrunk = "‖∂L/∂h₂‖ = 0.01, 0.01 × that at the loss, 2 steps later (× 0.1 a step)"
    assert said(page) == f"Step 2 of 4 “b”, shrinks (7 units): {shrunk}"
    press(page, "ArrowDown", "m")
    grown = "‖∂L/∂h₂‖ = 3.2, 3.2 × that at the loss, 1 step later (× 3.16 a step)"
    assert said(page) == f"Step 2 of 4 “b”, grows (7 units): {grown}"
    press(page, "End")
    assert said(page).endswith("the loss at step 3 does not depend on it: no gradient")
    press(page, "a", "Home")
    assert said(page) == "Step 1 of 4 “a”, grows (7 units): ‖∂L/∂h₁‖ = 32"
    assert page.get_by_label("Loss", exact=True).input_value() == "0"
    press(page, "a", "M", "M")
    assert page.get_by_label("Loss", exact=True).input_value() == "3"
    assert "<b>$</b> (7 units): ‖∂L/∂h₁‖ = 1" in said(page)


def test_the_mouse_reads_out_and_chooses_step_and_loss(opened):
    page = opened(make(40), model=1, loss=39)
    at = json.loads(canvas_of(page).get_attribute("data-places"))
    assert at["firstStep"] > 0
    x = at["left"] + 1.5 * at["pitch"]
    step = at["firstStep"] + 2  # as people count
    canvas_of(page).hover(position={"x": x, "y": at["boxTop"] + 5})
    assert said(page).startswith(f"Step {step} of 40")
    page.mouse.move(0, 0)
    assert said(page).startswith("Step 40 of 40")
    canvas_of(page).click(position={"x": x, "y": at["top"] + 8})
    assert page.get_by_label("Loss", exact=True).input_value() == str(step)
    canvas_of(page).click(position={"x": at["left"] + at["across"] * 0.5 / 40, "y": at["plotTop"] + 9})
    page.mouse.move(0, 0)
    assert said(page).startswith("Step 1 of 40")


def test_an_arrow_is_as_wide_as_its_gradient_is_large(opened):
    """Pixels of the arrow's colour across its shaft: 11 at the loss, 3.5 less for each power of ten."""
    page = opened(make(3), loss=2)
    at = json.loads(canvas_of(page).get_attribute("data-places"))
    found = page.evaluate(
        """([xs, top, tall, wanted]) => {
            const canvas = document.querySelector(".flow-stage canvas");
            const ratio = canvas.width / parseFloat(canvas.style.width);
            return xs.map((x) => {
                const place = [x, top, 1 / ratio, tall].map((part) => part * ratio);
                const { data } = canvas.getContext("2d").getImageData(...place);
                const near = (part, i) => Math.abs(part - data[i]) < 9;
                let count = 0;
                for (let i = 0; i < data.length; i += 4) {
                    count += wanted.every((part, c) => near(part, i + c));
                }
                return count / ratio;
            });
        }""",
        [
            [at["left"] + (place + 1) * at["pitch"] for place in (0, 1)],
            at["boxTop"],
            at["boxTall"],
            [int(LIGHT.accent[i : i + 2], 16) for i in (1, 3, 5)],
        ],
    )
    assert found == pytest.approx([4, 7.5], abs=1.1)


def test_any_character_stays_text_and_can_be_saved(opened, tmp_path, exported, save):
    page = opened(make(len(STRANGE), inputs=STRANGE), loss=8)
    page.locator(".course-widget details summary").click()
    rows = page.locator(".course-widget tbody tr")
    expect(rows).to_have_count(len(LABELS))
    assert [row.locator("td").first.text_content() for row in rows.all()] == LABELS
    assert page.locator("thead th").last.text_content() == "<b>$</b>"
    assert page.locator(".course-widget :is(script, s, td b, th b, bdi b)").count() == 0

    assert save(page, "PNG").startswith(b"\x89PNG")
    svg = ElementTree.parse(io.BytesIO(save(page, "SVG"))).getroot()
    shown = {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"1.0e−7", "h₉", "∅", "سلام"} <= shown
    copy = tmp_path / "copy.html"
    copy.write_bytes(save(page, "HTML"))
    assert said(exported(copy)) == said(page)


def test_live_in_lab_it_hides_its_picture_and_tells_the_kernel(notebook, run_code):
    setup = """
import torch
from course_lib.recurrent import LSTM, RNN, gradient_trace
from course_lib.widgets import GradientFlow
layers = {"RNN": RNN(2, 3), "LSTM": LSTM(2, 3)}
widget = GradientFlow(gradient_trace(layers, torch.ones(1, 5, 2), "abcde"), loss=4)
"""
    page = notebook("flow", [setup, "widget", "pass"])
    expect(page.locator(".flow-readout")).to_contain_text(re.compile("Step 5 of 5 “e”, RNN"))
    expect(page.locator(".course-twin")).to_be_hidden()
    press(page, "ArrowLeft", "m", "m")
    expect(page.locator(".flow-readout")).to_contain_text("Step 4 of 5 “d”, LSTM · c")
    assert "(3, 2)" in run_code(page, "widget.view['time'], widget.view['model']")
