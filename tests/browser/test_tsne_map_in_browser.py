"""The t-SNE map as a reader meets it: live in JupyterLab, and in a file."""

import re

import numpy as np
import pytest

from course_lib.figures.embedding import CAUTION, group_style
from course_lib.figures.tsne import nearest, share_kept
from course_lib.traces import EmbeddingTrace
from course_lib.widgets import TSNEMap

expect = pytest.importorskip("playwright.sync_api").expect

STRANGE = [
    "<s>",
    "</s>",
    "<b>x</b>",
    "<script>alert(1)</script>",
    "%{z}",
    "$x$",
    "&amp;",
    "",
    " ",
    "\n",
    "سلام",
    "😀",
]
STRANGE_LABELS = [*STRANGE[:7], "∅", "␣", "⏎", *STRANGE[10:]]
SETUP = """
import numpy as np
from course_lib.figures.tsne import embed_tsne
from course_lib.widgets import TSNEMap
vectors = np.random.default_rng(0).normal(size=(30, 5))
groups = [name for name in "abc" for _ in range(10)]
trace = embed_tsne(vectors, [f"w{i}" for i in range(30)], groups, perplexity=5, iterations=90, frames=10)
"""


def trace(points=12, frames=5, labels=None, classes=("day", "month", "<i>")):
    """A made-up run: points drift from one random layout to another."""
    generator = np.random.default_rng(0)
    start, end = generator.normal(size=(2, points, 2))
    original = generator.normal(size=(points, 6))
    layouts = [start + (end - start) * share for share in np.linspace(0, 1, frames)]
    return EmbeddingTrace(
        frames=np.stack(layouts),
        iterations=np.arange(frames) * 10,
        kl=np.linspace(2, 1, frames),
        labels=labels or tuple(f"w{i}" for i in range(points)),
        groups=tuple(classes[i % len(classes)] for i in range(points)),
        perplexity=3.5,
        neighbours_kept=share_kept(nearest(original, 4), nearest(end, 4)),
        neighbours=nearest(original, 4),
        title="Two kinds",
        seed=7,
    )


@pytest.fixture
def opened(tmp_path, exported):
    """Export a map and open the page."""
    return lambda run, **choices: exported(TSNEMap(run, **choices).export_html(tmp_path / "map.html"))


def map_of(page):
    return page.locator(".map-stage canvas")


def press(page, *keys):
    map_of(page).focus()
    for key in keys:
        page.keyboard.press(key)


def listed(page):
    return page.locator(".map-near li bdi").all_text_contents()


def place(page, run, point, frame=-1):
    """Where a point must be on the canvas: the frame's box fits with a margin of 30 pixels."""
    box = map_of(page).evaluate("c => [parseFloat(c.style.width), parseFloat(c.style.height)]")
    low, high = run.frames[frame].min(0), run.frames[frame].max(0)
    scale = min((box[0] - 60) / (high[0] - low[0]), (box[1] - 60) / (high[1] - low[1]))
    x, y = (run.frames[frame][point] - (low + high) / 2) * scale
    return {"x": float(box[0] / 2 + x), "y": float(box[1] / 2 - y)}


def colour_at(page, position):
    red, green, blue = page.evaluate(
        """({x, y}) => {
            const canvas = document.querySelector(".map-stage canvas");
            const ratio = canvas.width / parseFloat(canvas.style.width);
            return [...canvas.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1).data].slice(0, 3);
        }""",
        position,
    )
    return f"#{red:02X}{green:02X}{blue:02X}"


def test_a_click_lists_the_neighbours_of_the_original_space(opened):
    run = trace()
    page = opened(run)
    map_of(page).click(position=place(page, run, 4))
    assert listed(page) == [run.labels[other] for other in run.neighbours[4]]
    near = set(nearest(run.frames[-1], 4)[4].tolist())
    marks = [("✓" in item) for item in page.locator(".map-near li").all_text_contents()]
    assert marks == [int(other) in near for other in run.neighbours[4]]
    expect(page.locator(".map-readout")).to_have_text("“w4”, class month")
    press(page, "Escape")
    assert listed(page) == []


def test_hovering_reads_a_point_out(opened):
    run = trace()
    page = opened(run)
    map_of(page).hover(position=place(page, run, 2))
    expect(page.locator(".map-readout")).to_have_text("“w2”, class <i>")
    page.mouse.move(2, 2)
    expect(page.locator(".map-readout")).to_have_text("No point chosen.")


def test_arrow_keys_walk_over_the_map(opened):
    run = trace()
    last = run.frames[-1]
    start = int(last[:, 0].argmin())
    page = opened(run, point=start)
    seen = [start]
    for _ in range(4):
        press(page, "ArrowRight")
        label = re.search(r"“w(\d+)”", page.locator(".map-readout").inner_text())
        seen.append(int(label[1]))
    assert len(set(seen)) >= 3
    assert (np.diff(last[seen, 0]) >= 0).all()


def test_frames_by_key_and_slider(opened):
    run = trace()
    page = opened(run)
    moment = page.locator(".map-moment")
    expect(moment).to_contain_text("Frame 5 of 5")
    for key, frame in (("Home", 1), ("PageDown", 2), ("PageDown", 3), ("PageUp", 2), ("End", 5)):
        press(page, key)
        expect(moment).to_contain_text(f"Frame {frame} of 5")
    page.get_by_label("Frame").focus()
    page.keyboard.press("ArrowLeft")
    expect(moment).to_contain_text("Frame 4 of 5")
    expect(page.locator(".map-side")).to_contain_text(
        "KL(P‖Q) 1.25 nats now; the run went from 2.00 to 1.00."
    )
    map_of(page).click(position=place(page, run, 3, frame=3))
    expect(page.locator(".map-readout")).to_contain_text("“w3”")


def test_it_plays_to_the_end(opened):
    page = opened(trace())
    page.get_by_label("Speed").select_option("4×")
    press(page, "Home", "Space")
    expect(page.locator(".map-moment")).to_contain_text("Frame 5 of 5")
    expect(page.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")


def test_colours_stay_with_their_class_when_others_are_hidden(opened):
    run = trace()
    page = opened(run, labels=False)
    spot = place(page, run, 1)
    assert colour_at(page, spot) == group_style(1)[0]
    page.get_by_role("button", name="day 4").click()
    assert colour_at(page, spot) == group_style(1)[0]
    assert colour_at(page, place(page, run, 0)) != group_style(0)[0]
    press(page, "Escape")
    map_of(page).click(position=place(page, run, 0))
    assert listed(page) == []  # what is hidden can't be clicked
    page.get_by_role("button", name="None").click()
    expect(page.locator(".map-legend [aria-pressed=true]")).to_have_count(0)
    page.get_by_role("button", name="All").click()
    expect(page.locator(".map-legend [aria-pressed=true]")).to_have_count(3)


def test_a_label_can_be_found(opened):
    page = opened(trace())
    search = page.get_by_label("Find a label")
    search.fill("W1")
    expect(page.get_by_text("3 found")).to_be_visible()  # w1, w10, w11
    for label in ("w1", "w10", "w11", "w1"):
        search.press("Enter")
        expect(page.locator(".map-readout")).to_contain_text(f"“{label}”")


def test_how_far_to_believe_the_map(opened):
    run = trace()
    side = opened(run).locator(".map-side")
    for text in ("% of the 4 nearest neighbours", "Perplexity 3.5, seed 7.", CAUTION):
        expect(side).to_contain_text(text)
    share = float(side.locator("b").inner_text().removesuffix("%"))
    assert share == pytest.approx(100 * run.neighbours_kept, abs=0.06)


def test_strange_labels_are_shown_as_they_are_and_run_by_nothing(opened):
    run = trace(labels=tuple(STRANGE))
    page = opened(run, point=3)
    page.locator("details summary").click()
    rows = page.locator("details tbody tr")
    expect(rows).to_have_count(len(STRANGE_LABELS))
    assert [row.locator("th").text_content() for row in rows.all()] == STRANGE_LABELS
    assert listed(page) == [STRANGE_LABELS[other] for other in run.neighbours[3]]
    assert page.locator(".course-widget :is(script, td i, bdi b, bdi i, th b)").count() == 0


def test_one_class_needs_no_legend(opened):
    page = opened(trace(classes=("only",)))
    map_of(page).wait_for()
    expect(page.locator(".map-legend")).to_be_hidden()


def test_two_thousand_points(opened):
    run = trace(2000, 20)
    page = opened(run)
    press(page, "ArrowRight", "Space", "Space")
    assert len(listed(page)) == 4
    page.locator("details summary").click()
    expect(page.locator("details tbody tr")).to_have_count(300)


def test_live_in_lab(notebook, run_code):
    page = notebook("map", [SETUP, "widget = TSNEMap(trace)\nwidget", "pass"])
    map_of(page).wait_for()
    press(page, "Home", "ArrowRight")
    point = int(re.search(r"“w(\d+)”", page.locator(".map-readout").inner_text())[1])
    told = run_code(
        page, "print(widget.view['frame'], widget.view['point'], *trace.neighbours[widget.view['point']])"
    )
    frame, chosen, *near = map(int, told.split())
    assert (frame, chosen) == (0, point)
    assert listed(page) == [f"w{other}" for other in near]
    run_code(page, "widget.select(frame=None, point=5, hidden=['c'])")
    expect(page.locator(".map-readout")).to_have_text("“w5”, class a")
    expect(page.locator(".map-legend [aria-pressed=false]")).to_have_count(1)


def test_a_map_built_out_of_sight_is_drawn_when_it_is_shown(tmp_path, exported):
    path = TSNEMap(trace()).export_html(tmp_path / "map.html")
    hidden = path.read_text(encoding="utf8").replace('<main id="widget">', '<main id="widget" hidden>')
    path.write_text(hidden, encoding="utf8")
    page = exported(path)
    page.locator(".map-stage canvas").wait_for(state="attached")
    page.evaluate("document.getElementById('widget').hidden = false")
    page.wait_for_function("document.querySelector('.map-stage canvas').clientWidth > 400")
