"""The t-SNE map as a reader meets it: live in JupyterLab, and in a file."""

import csv
import io
import re
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.path import Path

from course_lib.figures.embedding import CAUTION, group_style
from course_lib.figures.tsne import nearest, share_kept
from course_lib.figures.tsne_points import Other, with_others
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
from course_lib.figures.tsne_points import Points, embed_points
from course_lib.widgets import TSNEMap
vectors = np.random.default_rng(0).normal(size=(30, 5))
groups = [name for name in "abc" for _ in range(10)]
points = Points(vectors, [f"w{i}" for i in range(30)], groups)
trace = embed_points(points, perplexity=5, compare=(), twin=None, iterations=90, frames=10)
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
    return page.locator(".map-stage canvas[role=application]")


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


def test_the_lasso_chooses_what_it_goes_around(opened):
    run = trace(60)
    page = opened(run, hidden=["<i>"], labels=False)
    spots = [place(page, run, point) for point in range(60)]
    box = map_of(page).bounding_box()
    corners = [(-0.5, -0.6), (0.6, -0.7), (0.1, 0), (0.7, 0.8), (-0.4, 0.6)]  # one of them points inwards
    across, down = box["width"] / 2, box["height"] / 2
    line = [(across + x * down, down + y * down) for x, y in corners]
    page.get_by_role("button", name="Lasso").click()
    page.mouse.move(box["x"] + line[0][0], box["y"] + line[0][1])
    page.mouse.down()
    for x, y in line[1:]:
        page.mouse.move(box["x"] + x, box["y"] + y, steps=2)
    page.mouse.up()
    around = Path(line).contains_points([(spot["x"], spot["y"]) for spot in spots])
    wanted = [f"w{i}" for i in np.flatnonzero(around) if run.groups[i] != "<i>"]
    assert 5 < len(wanted) < 35
    chosen = page.get_by_role("group", name="Chosen points")
    assert chosen.locator("tbody th").all_text_contents() == wanted
    expect(chosen.locator("h3")).to_have_text(f"{len(wanted)} points are chosen")

    with page.expect_download() as download:
        chosen.get_by_role("button", name="CSV").click()
    with open(download.value.path(), newline="", encoding="utf8") as file:
        head, *rows = csv.reader(file)
    assert head == ["label", "class", "x", "y", "nearest in the original space"]
    point = int(wanted[0][1:])
    x, y = run.frames[-1][point]
    assert rows[0][:2] == [wanted[0], run.groups[point]] and len(rows) == len(wanted)
    assert [float(value) for value in rows[0][2:4]] == pytest.approx([x, y], rel=1e-3)
    assert rows[0][4] == ", ".join(run.labels[other] for other in run.neighbours[point])

    page.evaluate("navigator.clipboard.writeText = async (text) => void (window.copied = text)")
    chosen.get_by_role("button", name="Copy").click()
    expect(chosen.get_by_role("status")).to_have_text("copied")
    assert list(csv.reader(io.StringIO(page.evaluate("copied")), delimiter="\t")) == [head, *rows]
    chosen.get_by_role("button", name="Choose none").click()
    expect(chosen).to_be_hidden()


def test_points_are_chosen_by_keys(opened):
    run = trace(30)
    page = opened(run, point=7)
    chosen = page.get_by_role("group", name="Chosen points").locator("tbody th")
    press(page, "s")
    assert chosen.all_text_contents() == ["w7"]
    press(page, "g", "g", "G")
    near = nearest(run.frames[-1], 5)[7].tolist()
    assert chosen.all_text_contents() == [f"w{i}" for i in sorted([7, *near])]
    press(page, "G")
    expect(chosen).to_have_count(0)
    press(page, "c")
    assert chosen.all_text_contents() == [f"w{i}" for i in range(30) if i % 3 == 1]
    press(page, "s")
    expect(chosen).to_have_count(9)
    page.get_by_label("Find a label").fill("w2")
    press(page, "a")
    assert chosen.all_text_contents() == ["w2", *(f"w{i}" for i in range(20, 30))]
    press(page, "Escape", "Escape")
    expect(chosen).to_have_count(0)


def test_a_point_shows_its_picture_and_its_text(opened):
    pictures = np.random.default_rng(0).integers(0, 256, (12, 3, 2), np.uint8)
    run = replace(trace(), pictures=pictures, texts=tuple(f"<b>text</b> of {i}" for i in range(12)))
    page = opened(run, dark=False)
    map_of(page).hover(position=place(page, run, 5))
    tip = page.locator(".map-tip")
    expect(tip.locator("bdi")).to_have_text("w5")
    expect(tip.locator("small")).to_have_text("<b>text</b> of 5")
    shown = tip.locator("canvas").evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    )
    paper, ink = np.array([255, 255, 255]), np.array([0x1B, 0x1F, 0x24])
    wanted = paper + pictures[5][..., None] / 255 * (ink - paper)
    np.testing.assert_allclose(np.array(shown).reshape(3, 2, 4)[..., :3], wanted, atol=0.51)
    expect(page.locator(".map-readout")).to_have_text("“w5”, class <i>: <b>text</b> of 5")
    map_of(page).click(position=place(page, run, 5))
    expect(page.locator(".map-near li canvas")).to_have_count(4)
    page.get_by_label("Find a label or text").fill("TEXT</b> of 1")
    expect(page.get_by_text("3 found")).to_be_visible()


def test_points_on_one_spot_are_counted(opened):
    run = trace()
    frames = run.frames.copy()
    frames[:, [3, 8]] = frames[:, [2]]
    page = opened(replace(run, frames=frames), point=3)
    expect(page.locator(".map-readout")).to_have_text("“w3”, class day (2 more on this spot)")


def beside(run):
    """The run with two more perplexities and a twin beside it."""
    generator = np.random.default_rng(1)
    runs = [(9, 0.25), (2, 0.75)]
    others = [
        Other("data", generator.normal(size=(len(run), 2)), perplexity, 1.5, kept, 0.9)
        for perplexity, kept in runs
    ]
    return with_others(run, [*others, Other("noise", generator.normal(size=(len(run), 2)), 2, 2.5, 0.1, 0.6)])


def test_other_perplexities_and_a_random_twin_stand_side_by_side(opened):
    run = beside(replace(trace(), trustworthiness=0.875))
    page = opened(run, point=4)
    maps = page.locator(".map-other")
    expect(maps.locator("b")).to_have_text(
        ["Perplexity 2", "Perplexity 3.5 (this map)", "Perplexity 9", "Random twin, perplexity 2"]
    )
    expect(maps.nth(0)).to_contain_text("75% kept, trustworthiness 0.90, KL 1.50")
    expect(maps.nth(3)).to_contain_text("Gaussian noise; 10% kept, trustworthiness 0.60, KL 2.50")
    expect(page.locator(".map-side")).to_contain_text("0.875 trustworthiness")
    expect(page.get_by_text("with nothing to find")).to_be_visible()
    first, twin = (maps.nth(i).locator("canvas").evaluate(COLOURS) for i in (0, 3))
    colours = {group_style(i)[0] for i in range(3)}
    assert set(first) & colours and not set(twin) & colours
    tops = [maps.nth(i).bounding_box()["y"] for i in range(4)]
    assert max(tops) - min(tops) < 1


COLOURS = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const hex = (value) => value.toString(16).padStart(2, "0").toUpperCase();
    const found = new Set();
    for (let i = 0; i < data.length; i += 4) found.add("#" + [...data.slice(i, i + 3)].map(hex).join(""));
    return [...found];
}"""


def test_the_map_can_be_saved(opened, exported, tmp_path):
    run = trace()
    page = opened(run, hidden=["day"], labels=False)
    saved = {}
    for kind in ("PNG", "SVG", "HTML"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Save {kind}").click()
        saved[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[kind])
    assert saved["PNG"].read_bytes().startswith(b"\x89PNG")
    svg = saved["SVG"].read_text(encoding="utf8")
    assert "Two kinds t-SNE map of 12 points: day (4), month (4), &lt;i&gt; (4)." in svg
    assert {colour for colour in re.findall(r'fill="(#\w{6})"', svg)} >= {
        group_style(1)[0],
        group_style(2)[0],
    }
    assert f'fill="{group_style(0)[0]}"' not in svg and "&lt;i&gt;</text>" in svg
    again = exported(saved["HTML"])
    expect(again.locator(".map-legend [aria-pressed=false]")).to_have_text("day 4")
    expect(again.get_by_role("group", name="Another perplexity")).to_have_count(0)  # nobody could answer


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
    page = notebook("map", [SETUP, "widget = TSNEMap(trace, points=points)\nwidget", "pass"])
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

    asking = page.get_by_role("group", name="Another perplexity")
    box = asking.get_by_role("spinbutton")
    expect(box).to_have_attribute("placeholder", "1 to 9.667")
    box.fill("9.7")
    asking.get_by_role("button", name="Compute").click()
    expect(asking.get_by_role("status")).to_contain_text(
        "from 1 to 9.667, a third of the other points; got 9.7"
    )
    box.fill("3")
    box.press("Enter")
    expect(asking.get_by_role("status")).to_have_text("done")
    expect(page.locator(".map-side")).to_contain_text("Perplexity 3, seed 0.")
    expect(page.locator(".map-other b")).to_have_text(["Perplexity 3 (this map)", "Perplexity 5"])
    told = run_code(page, "print(widget.trace.perplexity, *widget.trace.other_perplexities)")
    assert told.split() == ["3.0", "5.0"]


def test_a_map_built_out_of_sight_is_drawn_when_it_is_shown(tmp_path, exported):
    path = TSNEMap(trace()).export_html(tmp_path / "map.html")
    hidden = path.read_text(encoding="utf8").replace('<main id="widget">', '<main id="widget" hidden>')
    path.write_text(hidden, encoding="utf8")
    page = exported(path)
    map_of(page).wait_for(state="attached")
    page.evaluate("document.getElementById('widget').hidden = false")
    page.wait_for_function("document.querySelector('.map-stage canvas').clientWidth > 400")


def places(page):
    """The columns x and y of the table of points."""
    page.locator(".map-table tbody tr").first.wait_for()  # it is filled after it was opened
    rows = page.locator(".map-table tbody tr").all()
    return np.array([[float(row.locator("td").nth(i).inner_text()) for i in (1, 2)] for row in rows])


def test_the_same_points_as_principal_components_also_turned(tmp_path, exported):
    components = np.random.default_rng(4).normal(size=(12, 3)) * [3, 2, 1]
    told = {"components": components, "component_shares": [0.6, 0.3, 0.1], "components_kept": [0.25, 0.75]}
    page = exported(TSNEMap(replace(trace(), **told)).export_html(tmp_path / "map.html"))
    page.get_by_text("The points as a table").click()
    layout, moment = page.get_by_label("Map", exact=True), page.locator(".map-moment")
    np.testing.assert_allclose(places(page), trace().frames[-1], rtol=1e-3)
    layout.select_option("PCA")
    expect(moment).to_have_text(
        "The first two principal components hold 60% + 30% of the variance; "
        "on them 25% of the 4 nearest neighbours are still nearest."
    )
    np.testing.assert_allclose(places(page), components[:, :2], rtol=1e-3)
    # In 3-D the cloud is seen from a side: the rows of its turn have length 1 and stand at right angles.
    page.locator("canvas[role=application]").focus()
    page.keyboard.press("p")
    expect(layout).to_have_value("2")
    expect(moment).to_contain_text("60% + 30% + 10% of the variance; on them 75%")
    before = np.linalg.lstsq(components, places(page), rcond=None)[0].T
    page.keyboard.press("Shift+ArrowRight")
    after = np.linalg.lstsq(components, places(page), rcond=None)[0].T
    for turn in (before, after):
        np.testing.assert_allclose(turn @ turn.T, np.eye(2), atol=5e-3)
    assert np.abs(after[0] - before[0]).max() > 0.05  # about the upright axis
    np.testing.assert_allclose(after[:, 1], before[:, 1], atol=5e-3)
    box = page.locator("canvas[role=application]").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 105, box["y"] + 5, steps=5)
    page.mouse.up()
    dragged = np.linalg.lstsq(components, places(page), rcond=None)[0].T
    assert np.abs(dragged[0] - after[0]).max() > 0.05
    page.keyboard.press("Home")  # a frame is one of t-SNE
    expect(layout).to_have_value("0")
