"""The gate inspector as a reader meets it: live in JupyterLab, and in a file."""

import io
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from course_lib.figures.theme import DARK, LIGHT
from course_lib.traces import GateTrace
from course_lib.widgets import GateInspector

expect = pytest.importorskip("playwright.sync_api").expect

STRANGE = [
    "<s>",
    "<b>x</b>",
    "<script>alert(1)</script>",
    "$",
    "&amp;",
    "",
    " ",
    "\n",
    "\u200b",
    "سلام",
    "😀",
]
STRANGE_LABELS = [*STRANGE[:5], "∅", "␣", "⏎", "⟨U+200B⟩", "سلام", "😀"]
LSTM = ("input", "forget", "output", "candidate", "cell", "hidden")
SETUP = """
import torch
from course_lib.recurrent import LSTM
from course_lib.traces import GateTrace
from course_lib.widgets import GateInspector
torch.manual_seed(0)
layer = LSTM(128, 5)

def read(text):
    if not text.isascii():
        raise ValueError("Only ASCII here.")
    inputs = torch.eye(128)[[ord(character) for character in text]]
    return GateTrace.from_watch(layer.watch(inputs[None]), text)
"""


def make(time=6, units=5, characters=None):
    generator = np.random.default_rng(0)
    values = generator.uniform(0.05, 0.95, size=(6, time, units))
    values[3:] = generator.uniform(-0.95, 0.95, size=(3, time, units))
    values[4] *= 8
    return GateTrace(
        values, LSTM, characters or tuple("abcdefghij"[i % 10] for i in range(time)), title="Gates"
    )


@pytest.fixture
def opened(tmp_path, exported):
    """Export an inspector and open the page."""
    return lambda trace, **choices: exported(
        GateInspector(trace, **choices).export_html(tmp_path / "gates.html")
    )


def canvas_of(page):
    return page.locator(".gate-stage canvas")


def press(page, *keys):
    canvas_of(page).focus()
    for key in keys:
        page.keyboard.press(key)


def read_out(page):
    """What the read-out says: (character from 1, unit, {quantity: value})."""
    text = page.locator(".gate-readout").inner_text()
    character, unit, values = re.fullmatch(
        r"Character (\d+) of \d+ “.*”, unit (\d+): (.*)", text, re.DOTALL
    ).groups()
    pairs = (pair.rsplit(" ", 1) for pair in values.split(", "))
    return int(character), int(unit), {name: float(value.replace("−", "-")) for name, value in pairs}


def assert_shown(page, trace, time, unit):
    character, at, values = read_out(page)
    assert (character, at) == (time + 1, unit)
    wanted = dict(zip(trace.quantities, trace.values[:, time, unit].tolist(), strict=True))
    assert values == pytest.approx(wanted, rel=1e-5)


def places(page):
    return json.loads(canvas_of(page).get_attribute("data-places"))


def pixel(page, x, y):
    """The colour at a place of the canvas, in CSS pixels."""
    return page.evaluate(
        """([x, y]) => {
            const canvas = document.querySelector(".gate-stage canvas");
            const ratio = canvas.width / parseFloat(canvas.style.width);
            const [across, down] = [Math.round(x * ratio), Math.round(y * ratio)];
            return [...canvas.getContext("2d").getImageData(across, down, 1, 1).data].slice(0, 3);
        }""",
        [x, y],
    )


def rgb(colour):
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


# ---- in a file ---------------------------------------------------------------------------------------


def test_keys_move_along_time_units_and_gates(opened):
    trace = make()
    page = opened(trace)
    assert_shown(page, trace, 0, 0)
    press(page, "ArrowRight", "ArrowRight", "ArrowDown")
    assert_shown(page, trace, 2, 1)
    press(page, "End", "PageDown")
    assert_shown(page, trace, 5, 4)
    press(page, "ArrowRight", "ArrowDown")
    assert_shown(page, trace, 5, 4)
    press(page, "Home", "ArrowLeft", "ArrowUp", "g", "g")
    assert_shown(page, trace, 0, 3)
    gate = page.get_by_label("Gate", exact=True)
    assert gate.input_value() == "2"
    press(page, "G", "G", "G")
    assert gate.input_value() == "5"  # round the end


def test_controls_choose_too(opened):
    trace = make()
    page = opened(trace)
    page.get_by_label("Gate", exact=True).select_option("cell")
    page.get_by_label("Unit", exact=True).fill("3")
    page.get_by_label("Unit", exact=True).press("Enter")
    slider = page.get_by_role("slider", name="Character")
    slider.focus()
    page.keyboard.press("End")
    assert_shown(page, trace, 5, 3)
    assert slider.get_attribute("aria-valuetext") == "6 of 6: f"
    assert "cell of all units" in canvas_of(page).get_attribute("aria-label")
    page.get_by_label("Unit", exact=True).fill("99")
    page.get_by_label("Unit", exact=True).press("Enter")
    assert_shown(page, trace, 5, 4)


def test_the_mouse_chooses_and_reads_out(opened):
    trace = make()
    page = opened(trace)
    at = places(page)
    middle = at["left"] + 3.5 * at["column"]
    on_map = {"x": middle, "y": at["mapTop"] + 2.5 * at["cell"]}
    canvas_of(page).hover(position=on_map)
    assert_shown(page, trace, 3, 2)
    page.mouse.move(0, 0)
    assert_shown(page, trace, 0, 0)
    canvas_of(page).click(position=on_map)
    page.mouse.move(0, 0)
    assert_shown(page, trace, 3, 2)
    canvas_of(page).click(position={"x": at["left"] + 1.5 * at["column"], "y": at["top"] + 4.5 * at["step"]})
    page.mouse.move(0, 0)
    assert_shown(page, trace, 1, 2)
    assert page.get_by_label("Gate", exact=True).input_value() == "4"


def test_bars_are_as_long_as_the_values(opened):
    """One unit that keeps a quarter, then all; its hidden value is half below zero, then NaN."""
    values = np.array([[[0.25], [1.0]], [[-0.5], [np.nan]]])
    page = opened(GateTrace(values, ("forget", "hidden"), ("a", "b")), time=1)
    at = places(page)
    x, strip = at["left"] + at["column"] * 0.25, at["strip"]
    panel, accent, bad = map(rgb, (LIGHT.panel, LIGHT.accent, LIGHT.bad))
    for share, colour in ((0.15, accent), (0.35, panel), (0.8, panel)):
        assert pixel(page, x, at["top"] + strip * (1 - share)) == colour
    below = at["top"] + at["step"] + strip / 2
    assert [pixel(page, x, below + strip / 2 * share) for share in (0.3, 0.7)] == [bad, panel]
    assert pixel(page, x, below - strip / 4) == panel
    assert "hidden NaN" in page.locator(".gate-readout").inner_text()


def test_colours_are_those_of_cividis(opened):
    import matplotlib

    values = np.array([[[0.0], [0.25], [1.0]]])
    page = opened(GateTrace(values, ("forget",), tuple("abc")))
    at = places(page)
    for place, value in enumerate(values.ravel()):
        wanted = [round(255 * part) for part in matplotlib.colormaps["cividis"](round(255 * value))[:3]]
        x = at["left"] + (place + 0.5) * at["column"]
        assert pixel(page, x, at["mapTop"] + at["cell"] / 2) == wanted


def test_any_character_stays_text(opened):
    trace = make(len(STRANGE), characters=tuple(STRANGE))
    page = opened(trace)
    page.locator(".course-widget details summary").click()
    table = page.locator(".course-widget details table")
    table.locator("tbody th").first.wait_for()  # it is filled when it opens
    assert table.locator("tbody th").all_text_contents() == STRANGE_LABELS
    assert table.locator("thead th").all_text_contents() == ["character", *LSTM]
    shown = [
        [float(text.replace("−", "-")) for text in row.locator("td").all_text_contents()]
        for row in table.locator("tbody tr").all()
    ]
    np.testing.assert_allclose(shown, trace.values[:, :, 0].T, rtol=1e-5)
    for label in STRANGE_LABELS:
        assert f"“{label}”" in page.locator(".gate-readout").inner_text()
        press(page, "ArrowRight")
    assert page.locator(".course-widget :is(script, s, td b, th b, bdi b)").count() == 0


def test_a_long_text_and_many_units_are_shown_through_a_window(opened):
    trace = make(300, 256)
    page = opened(trace, unit=200, time=150)
    at = places(page)
    assert at["firstTime"] <= 150 and at["firstUnit"] <= 200
    assert at["column"] >= 16 and at["cell"] >= 6
    press(page, "End", "PageDown")
    press(page, *["ArrowDown"] * 60)
    assert_shown(page, trace, 299, 255)
    assert places(page)["firstTime"] > at["firstTime"]
    press(page, "Home", *["PageUp"] * 12)
    assert_shown(page, trace, 0, 0)
    assert (places(page)["firstTime"], places(page)["firstUnit"]) == (0, 0)


def test_dark_and_large(opened):
    page = opened(make())
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("button", name="Large type").click()
    widget = page.locator(".course-widget")
    look = "element => [getComputedStyle(element).backgroundColor, getComputedStyle(element).fontSize]"
    assert widget.evaluate(look) == ["rgb(20, 24, 29)", "21px"]
    assert pixel(page, 1, 1) == rgb(DARK.paper)


def test_what_is_shown_can_be_saved(tmp_path, exported, opened, save):
    trace = make()
    page = opened(trace, unit=2)
    press(page, "ArrowRight")

    assert save(page, "PNG").startswith(b"\x89PNG")
    svg = ElementTree.parse(io.BytesIO(save(page, "SVG"))).getroot()
    name = "{http://www.w3.org/2000/svg}"
    texts = [text.text for text in svg.iter(f"{name}text")]
    assert set(trace.characters) <= set(texts)
    assert f"{trace.of('forget')[1, 2]:.2f}" in texts
    assert "Unit 2 of 5: input from" in svg.find(f"{name}desc").text
    copy = tmp_path / "copy.html"
    copy.write_bytes(save(page, "HTML"))
    page = exported(copy)
    assert_shown(page, trace, 1, 2)
    assert "Unit 2 of 5" in page.locator("noscript").text_content()


def test_a_page_without_a_kernel_has_nothing_to_type_in(opened):
    page = opened(make(), read=lambda text: make())
    assert_shown(page, make(), 0, 0)
    expect(page.locator("textarea")).to_have_count(0)


# ---- live in JupyterLab ------------------------------------------------------------------------------


def test_a_text_of_ones_own_is_read_by_the_kernel(notebook, run_code):
    page = notebook("gates", [SETUP, 'widget = GateInspector(read("hello"), read=read)\nwidget', "pass"])
    box = page.get_by_role("textbox", name="Your own text")
    expect(box).to_be_visible()
    press(page, "End", "ArrowDown")
    box.click()
    page.keyboard.type("a b")
    page.keyboard.press("Enter")  # a new line, not a command of Lab's
    page.keyboard.type("$")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".gate-readout")).to_contain_text("Character 1 of 5 “a”, unit 1")
    press(page, *["ArrowRight"] * 3)
    expect(page.locator(".gate-readout")).to_contain_text("Character 4 of 5 “⏎”")
    page.wait_for_timeout(1000)  # the kernel hears of a choice a moment later
    told = json.loads(
        run_code(
            page,
            "import json; print(json.dumps([widget.trace.characters, widget.view['time'], "
            "widget.trace.of('cell')[3, 1].item()]))",
        )
    )
    assert told[:2] == [list("a b\n$"), 3]
    assert read_out(page)[2]["cell"] == pytest.approx(told[2], rel=1e-5)

    read_it = page.get_by_role("button", name="Read it")
    for text in ("first", "other"):  # the second time the first character is chosen already
        box.fill(text)
        read_it.click()
        expect(page.locator(".gate-readout")).to_contain_text(f"Character 1 of 5 “{text[0]}”, unit 1")
    press(page, *["ArrowRight"] * 3)
    box.fill("é")
    read_it.click()
    expect(page.locator(".gate-writing")).to_contain_text("Only ASCII here.")
    expect(page.locator(".gate-readout")).to_contain_text("Character 4 of 5")


def test_without_read_there_is_no_box(notebook):
    page = notebook("no_box", [SETUP, 'GateInspector(read("hello"))', "pass"])
    expect(page.locator(".gate-readout")).to_contain_text("Character 1 of 5 “h”")
    expect(page.locator(".gate-writing")).to_have_count(0)
