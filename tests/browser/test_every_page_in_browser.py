"""Every widget on pages of other kinds: right to left, printed, with forced colours, narrow, read aloud."""

import numpy as np
import pytest

from course_experiments.speed.widget_samples import (
    beam_tree,
    gate_inspector,
    gradient_flow,
    heatmap,
    lattice_view,
    map_of_points,
    memory_film,
    overlay,
    reservoir,
)
from course_lib.figures.display import TWIN_STYLE
from course_lib.figures.theme import LIGHT
from course_lib.text import BytePairEncoding
from course_lib.traces import ConvolutionTrace, SegmentationTrace
from course_lib.widgets import ConvolutionExplorer, SegmentationExplorer, __all__

expect = pytest.importorskip("playwright.sync_api").expect


def segmentation():
    return SegmentationExplorer(
        {"few": SegmentationTrace.of(BytePairEncoding.train(["a cat sat"], 9))}, text="a cat"
    )


def convolution():
    noise, edge = np.random.default_rng(0).random((1, 12, 12)), np.array([[[1.0, 0.0, -1.0]] * 3])
    return ConvolutionExplorer(ConvolutionTrace(noise, ("noise",), edge, ("edge",)))


WIDGETS = {
    "AttentionHeatmap": lambda: heatmap(2, 2, 5),
    "BeamTree": lambda: beam_tree(3, 6),
    "ConvolutionExplorer": convolution,
    "GateInspector": lambda: gate_inspector(10, 4),
    "GradientFlow": lambda: gradient_flow(6),
    "LatticeView": lambda: lattice_view(6, 2),
    "MemoryFilm": lambda: memory_film(6, 4),
    "OverlayView": lambda: overlay(3, 2, 8),
    "ReservoirActivity": lambda: reservoir(20, 4),
    "SegmentationExplorer": segmentation,
    "TSNEMap": lambda: map_of_points(20, 3),
}
ONE_COLOUR = """all => all.map(one => [...one.querySelectorAll(":not(svg, svg *)")].every(
    part => getComputedStyle(part).color === getComputedStyle(one).color))"""
PAPER = """() => [...document.querySelectorAll(".course-widget canvas[role=application]")].map((canvas) =>
    [...canvas.getContext("2d").getImageData(1, 1, 1, 1).data].slice(0, 3))"""
# Where a control has a text of letters, its name must hold that text: readers who speak to a computer say it.
UNNAMED = """() => [...document.querySelectorAll(":is(button, select, input, [role=treeitem])")]
    .map((one) => {
        const texts = [...one.querySelectorAll(":scope > text")].map((text) => text.textContent);
        const seen = one.matches("[role=treeitem]") ? texts.join(" ").trim()
            : one.matches("button") ? one.textContent
            : (one.closest("label")?.querySelector("span")?.textContent ?? "");
        return [seen, one.getAttribute("aria-label") ?? seen];
    })
    .filter(([seen, name]) => /\\p{L}/u.test(seen) && !name.toLowerCase().includes(seen.toLowerCase()))"""


@pytest.fixture(params=WIDGETS)
def page(request, exported, tmp_path):
    return exported(WIDGETS[request.param]().export_html(tmp_path / "page.html"))


def test_every_widget_is_here():
    assert set(WIDGETS) == set(__all__)


def test_each_on_every_page(page):
    names = page.evaluate(UNNAMED)
    assert names == []
    # On a page that runs from right to left a drawing is the same as ever.
    page.evaluate("document.documentElement.dir = 'rtl'")
    drawings = page.locator(".course-widget :is(canvas, svg)")
    assert drawings.count() >= 1
    for drawing in drawings.all():
        assert drawing.evaluate("one => getComputedStyle(one).direction") == "ltr"
    page.evaluate("document.documentElement.dir = ''")
    # A narrow page scrolls what is wide, not itself.
    page.set_viewport_size({"width": 320, "height": 800})
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": 1000, "height": 800})
    # Dark on the screen, white on paper.
    page.get_by_role("button", name="Dark", exact=True).click()
    page.emulate_media(media="print")
    expect(page.locator(".course-widget")).to_have_attribute("data-theme", "light")
    light = [int(LIGHT.paper[i : i + 2], 16) for i in (1, 3, 5)]
    assert all(colour == light for colour in page.evaluate(PAPER))
    page.emulate_media(media="screen", forced_colors="active")
    # A pressed toggle differs from one that isn't, also where the reader's colours replace ours.
    expect(page.locator(".course-widget")).to_have_attribute("data-theme", "dark")
    look = "one => [getComputedStyle(one).backgroundColor, getComputedStyle(one).color].join()"
    pressed = page.get_by_role("button", name="Dark", exact=True).evaluate(look)
    assert pressed != page.get_by_role("button", name="Large type").evaluate(look)
    # Nor may a part of its label, such as a count, keep a colour made for another ground.
    assert all(page.locator("button[aria-pressed=true]").evaluate_all(ONE_COLOUR))


def test_printed_nothing_lies_on_the_panel_and_nothing_is_cut(exported, tmp_path):
    page = exported(map_of_points(60, 3).export_html(tmp_path / "map.html"))
    page.set_viewport_size({"width": 700, "height": 900})
    page.emulate_media(media="print")
    canvas, side = (
        page.locator(".map-stage > canvas").first.bounding_box(),
        page.locator(".map-side").bounding_box(),
    )
    assert side["y"] >= canvas["y"] + canvas["height"] or side["x"] >= canvas["x"] + canvas["width"]
    page = exported(beam_tree(4, 12).export_html(tmp_path / "tree.html"))
    page.set_viewport_size({"width": 700, "height": 900})
    page.emulate_media(media="print")
    tree, stage = page.locator(".beam-svg").bounding_box(), page.locator(".beam-stage").bounding_box()
    assert tree["x"] + tree["width"] <= stage["x"] + stage["width"] + 1


def test_the_panel_compares_with_its_random_twin(exported, tmp_path):
    from course_lib.figures.tsne_points import Points, embed_points
    from course_lib.widgets import TSNEMap

    vectors = np.random.default_rng(0).normal(size=(30, 5))
    points = Points(vectors, tuple(f"w{i}" for i in range(30)), ("a",) * 30)
    trace = embed_points(points, perplexity=5, compare=(), iterations=60, frames=3)
    page = exported(TSNEMap(trace).export_html(tmp_path / "map.html"))
    told = page.locator(".map-numbers").inner_text()
    assert f"its random twin keeps {100 * trace.other_kept[0]:.3g}%" in told
    assert f"of its random twin {trace.other_trustworthiness[0]:.2f}" in told
    assert "chance" not in told


@pytest.mark.parametrize("output", ["jp-OutputArea-child", "output_area", "output_container"])
def test_the_picture_hides_beside_the_widget_in_every_front_end(watched, output):
    """JupyterLab, nbclassic and VS Code put each output into an element of these classes."""
    page = watched()
    twin = f'<div class="{output}">{TWIN_STYLE}<div class="course-twin">picture</div></div>'
    page.set_content(f'{twin}<div class="{output}"><div class="course-widget">live</div></div>')
    expect(page.get_by_text("picture")).to_be_hidden()
    expect(page.get_by_text("live")).to_be_visible()
    page.set_content(f'{twin}<div class="{output}">no model</div>')
    expect(page.get_by_text("picture")).to_be_visible()
    expect(page.get_by_text("no model")).to_be_hidden()
