"""A deck as an audience and a speaker see it: from a file, without network, every slide in full."""

import re
import shutil
from itertools import accumulate
from pathlib import Path

import nbformat
import numpy as np
import pytest
from click.testing import CliRunner
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course_lib.attention import masked_softmax
from course_lib.figures import Chart, Surfaces, show_source
from course_lib.recurrent.layer import RecurrentLayer
from course_lib.traces import AttentionTrace
from course_lib.widgets import AttentionHeatmap
from course_tools import cli
from course_tools.slides import write_deck

expect = pytest.importorskip("playwright.sync_api").expect

SIZES = ({"width": 1280, "height": 720}, {"width": 1920, "height": 1080})
LECTURES = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
WORDS = "Everything is differentiable, so the weights are learned from translations alone. "

# What of the current slide is cut off, as text; empty once all of it is seen, the pages of widgets too.
CUT_OFF = """() => {
  const page = Reveal.getCurrentSlide().querySelector(".page");
  const cut = [];
  const check = (what, box) => {
    const [height, width] = [box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth];
    if (height > 0 || width > 0) cut.push(`${what}: ${height} too high, ${width} too wide`);
  };
  check("slide", page);
  const { left, top, right, bottom } = page.getBoundingClientRect();
  if (Math.min(left, top) < -1 || right > innerWidth + 1 || bottom > innerHeight + 1) cut.push("screen");
  for (const { contentDocument: inside } of page.querySelectorAll("iframe")) {
    if (inside.querySelector(".course-widget")) check("widget", inside.documentElement);
    else cut.push("widget: not there");
  }
  return cut.join("; ");
}"""


def go_through(page):
    """Show each slide with all that comes on keys; return what is cut off, by slide."""
    cut_off = {}
    for number in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate(
            "n => { const { h, v } = Reveal.getIndices(Reveal.getSlides()[n]); Reveal.slide(h, v, 99) }",
            number,
        )
        for _ in range(30):  # a widget takes its time
            cut = page.evaluate(CUT_OFF)
            if not cut:
                break
            page.wait_for_timeout(200)
        else:
            cut_off[number + 1] = cut
    return cut_off


@pytest.fixture
def opened(watched):
    """Open a deck and wait until it is laid out."""

    def open_deck(path, size=SIZES[0]):
        page = watched()
        page.set_viewport_size(size)
        page.goto(path.resolve().as_uri())
        page.locator(".reveal.ready").wait_for()
        return page

    return open_deck


def cell(source, *outputs, kind="fragment", **metadata):
    metadata = {"slideshow": {"slide_type": kind}, **metadata}
    if not outputs:
        return new_markdown_cell(source, metadata=metadata)
    outputs = [new_output("display_data", data=data) for data in outputs]
    return new_code_cell(source, outputs=outputs, execution_count=1, metadata=metadata)


def source(thing):
    return {"text/html": show_source(thing)._repr_html_()}


@pytest.fixture
def hard(tmp_path, published):
    """A deck of what is hard to fit."""
    trace = AttentionTrace(np.full((1, 1, 2, 2), 0.5), ("a", "b"), ("c", "d"))
    AttentionHeatmap(trace)._ipython_display_()
    Chart("bar", {"BLEU": [3, 2]}, ["a", "b"], "Short is easy", "length", "BLEU", "alt")._ipython_display_()
    bowl = np.add.outer(np.square([-1, 0, 1]), np.square([-1, 0, 1]))
    Surfaces({"one": bowl, "two": bowl}, [-1, 0, 1], "A bowl", "a", "b", "loss", "alt")._ipython_display_()
    widget, chart, surfaces = published
    long_line = "x = " + " + ".join(map(str, range(90)))
    rows = "".join(f"| row {row} | {WORDS} |\n" for row in range(30))
    cells = [
        cell("# Deck", kind="slide", speaker_notes="Wait for *them*.", minutes=3),
        cell(f"## Text\n\n{WORDS * 4}\n\n### Predict\n\n(a) · (b)", kind="slide"),
        cell("draw()", chart),
        cell("<details><summary>Answer</summary>It is (b).</details>"),
        cell(f"## Much\n\n{(WORDS * 3 + chr(10) * 2) * 12}", kind="slide", minutes=2),
        cell("## A list\n\n" + f"1. {WORDS}\n" * 25, kind="subslide"),
        cell(f"## A table\n\n| a | b |\n| --- | --- |\n{rows}", kind="subslide"),
        cell("show_source(RecurrentLayer)", source(RecurrentLayer), kind="slide"),
        cell("show_source(masked_softmax)", source(masked_softmax)),
        cell("print()", {"text/plain": f"{long_line}\n" * 20}, kind="subslide"),
        cell("$$" + r"\frac{a}{b} + \sum_k \alpha_k \qquad" * 12 + "$$", kind="subslide"),
        cell("## A surface\n\nTurn it.", kind="slide"),
        cell("Surfaces()", surfaces),
        cell(f"## A widget\n\n{WORDS * 3}", kind="slide"),
        cell("AttentionHeatmap()", widget),
    ]
    return write_deck(new_notebook(cells=cells), tmp_path / "deck.html")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size['width']}x{size['height']}")
def test_every_slide_fits_and_nothing_is_lost(opened, hard, size):
    page = opened(hard, size)
    assert go_through(page) == {}
    text = page.evaluate("Reveal.getSlides().map(slide => slide.querySelector('.page').textContent).join('')")
    assert text.count("Everything is differentiable") == 4 + 3 * 12 + 25 + 30 + 3
    lines = re.findall(r"[^\n]+", show_source(RecurrentLayer).data)
    assert all(line in text for line in lines)
    seconds = page.evaluate("Reveal.getSlides().map(slide => Number(slide.dataset.timing))")
    assert sum(seconds) == pytest.approx(5 * 60, abs=len(seconds))
    starts = page.evaluate(
        "[...document.querySelectorAll('ol')].map(list => [list.start, list.children.length])"
    )
    assert [first for first, _ in starts] == list(accumulate((n for _, n in starts[:-1]), initial=1))
    sizes = page.evaluate(
        "Reveal.getSlides().map(slide => parseFloat(getComputedStyle(slide.querySelector('.page')).fontSize))"
    )
    assert min(sizes) >= 20  # pixels of 720


def test_a_slide_that_is_cut_off_is_found(opened, hard):
    page = opened(hard)
    page.evaluate("Reveal.getSlides()[1].querySelector('.page').style.setProperty('--size', '80px')")
    assert list(go_through(page)) == [2]


def test_an_answer_waits_for_a_key(opened, hard):
    page = opened(hard)
    page.keyboard.press("Space")
    chart, answer = page.locator("section.present .chart"), page.locator("section.present .answer")
    expect(page.locator("section.present h3")).to_have_text("Predict")
    expect(chart).to_be_hidden()
    page.keyboard.press("Space")
    expect(chart.locator(".bars path").first).to_be_visible()
    expect(answer).to_be_hidden()
    page.keyboard.press("Space")
    expect(answer).to_have_text("Answer. It is (b).")
    page.keyboard.press("Space")
    expect(page.locator("section section.present h2")).to_have_text("Much")


def test_a_surface_is_drawn_with_its_titles(opened, hard):
    page = opened(hard)
    page.evaluate("Reveal.slide(Reveal.getHorizontalSlides().length - 2, 99, 99)")
    surface = page.locator("section.present .chart.js-plotly-plot")
    expect(surface.locator(".gtitle")).to_have_text("A bowl")
    assert surface.evaluate("chart => [chart.data.length, chart.layout.scene2.xaxis.title.text]") == [2, "a"]


def test_code_opens_and_keys_still_turn_slides(opened, hard):
    page = opened(hard)
    page.keyboard.press("Space")
    code = page.locator("section.present .page > details")
    expect(code.locator("pre")).to_be_hidden()
    code.locator("summary").click()
    expect(code.locator("pre")).to_have_text("draw()\n")
    page.keyboard.press("Space")
    expect(page.locator("section.present .chart")).to_be_visible()
    expect(code.locator("pre")).to_be_visible()


def test_a_widget_lives_without_a_kernel(opened, hard):
    page = opened(hard)
    page.evaluate("Reveal.slide(Reveal.getHorizontalSlides().length - 1, 99, 99)")
    widget = page.frame_locator("section.present iframe")
    widget.get_by_role("button", name="Dark").click()
    expect(widget.locator(".course-widget")).to_have_attribute("data-theme", "dark")
    page.keyboard.press("PageUp")  # the widget has the keys
    expect(page.locator("section section.present iframe")).to_have_count(0)


def test_the_speaker_sees_notes_and_minutes(opened, hard):
    page = opened(hard)
    with page.expect_popup() as popup:
        page.keyboard.press("s")
    speaker = popup.value
    notes = speaker.locator(".speaker-controls-notes .value")
    expect(notes).to_contain_text("3 minutes")
    expect(notes.locator("em")).to_have_text("them")
    expect(speaker.locator(".pacing")).to_be_visible()
    following = speaker.frame_locator("#upcoming-slide iframe")
    expect(following.locator("section section.present h2")).to_have_text("Text")
    expect(page.get_by_text("Wait for")).to_be_hidden()


def made(lecture, preset, folder, monkeypatch):
    """Make the deck of a lecture in a course of its own, by the command."""
    shutil.copytree(lecture.parent, folder / "notebooks")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COURSE_WIDGETS", "auto")  # the command sets it; so it is set back
    done = CliRunner().invoke(cli.main, ["slides", lecture.stem.partition("_")[0], "--preset", preset])
    assert done.exit_code == 0, done.output
    deck = folder / "runs" / f"{lecture.stem}.html"
    assert done.stdout.strip() == str(deck)
    return deck


def test_a_lecture_becomes_a_deck(opened, tmp_path, monkeypatch):
    lecture = next(path for path in LECTURES if path.stem == "00_start_here")
    page = opened(made(lecture, "smoke", tmp_path, monkeypatch))
    title = nbformat.read(lecture, as_version=4).cells[0].source.splitlines()[0].removeprefix("# ")
    expect(page.locator("section.present h1")).to_have_text(title)
    assert go_through(page) == {}
    page.set_viewport_size(SIZES[1])
    assert go_through(page) == {}


@pytest.mark.slow
@pytest.mark.parametrize("lecture", LECTURES, ids=lambda path: path.stem)
def test_every_slide_of_every_lecture_fits(opened, lecture, tmp_path, monkeypatch):
    page = opened(made(lecture, "lecture", tmp_path, monkeypatch))
    cut_off = [go_through(page)]
    page.set_viewport_size(SIZES[1])
    cut_off.append(go_through(page))
    assert cut_off == [{}, {}]
