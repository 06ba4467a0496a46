"""In a live JupyterLab: what is typed into a widget is no command of the notebook's."""

import pytest

expect = pytest.importorskip("playwright.sync_api").expect

SETUP = """
from course_experiments.speed.widget_samples import beam_tree, gate_inspector, gradient_flow, heatmap
from course_experiments.speed.widget_samples import lattice_view, map_of_points, memory_film
from course_experiments.speed.widget_samples import overlay, reservoir
from course_lib.text import BytePairEncoding
from course_lib.traces import SegmentationTrace
from course_lib.widgets import SegmentationExplorer
def segmentation():
    few = SegmentationTrace.of(BytePairEncoding.train(["a cat sat"], 9))
    return SegmentationExplorer({"few": few}, text="a cat")
"""
WIDGETS = {
    "AttentionHeatmap": "heatmap(2, 2, 4)",
    "BeamTree": "beam_tree(2, 3)",
    "GateInspector": "gate_inspector(10, 4)",
    "GradientFlow": "gradient_flow(6)",
    "LatticeView": "lattice_view(6, 2)",
    "MemoryFilm": "memory_film(6, 4)",
    "OverlayView": "overlay(3, 2, 8)",
    "ReservoirActivity": "reservoir(20, 4)",
    "SegmentationExplorer": "segmentation()",
    "TSNEMap": "map_of_points(12, 3)",
}
COMMANDS = ("x", "m", "b", "a", "y", "r", "1", "d", "d", "Shift+M")
FOCUSABLE = ".course-widget :is(canvas, button, select, input, textarea, summary, [tabindex])"


def cells(page):
    return page.evaluate(
        """() => [...document.querySelectorAll(".jp-Notebook .jp-Cell")].map(
            (cell) => ["Code", "Markdown", "Raw"].find((one) => cell.classList.contains(`jp-${one}Cell`)))"""
    )


def test_no_key_in_a_widget_is_a_command_of_the_notebook(notebook):
    page = notebook("keys", [SETUP, *WIDGETS.values(), "pass"])
    before = cells(page)
    assert before == ["Code"] * (len(WIDGETS) + 2)
    shown = page.locator(".jp-Cell:has(.course-widget)")
    expect(shown).to_have_count(len(WIDGETS))
    for name, widget in zip(WIDGETS, shown.all(), strict=True):
        places = widget.locator(FOCUSABLE)
        kinds = {}
        for place in places.all():
            kinds.setdefault(place.evaluate("one => one.tagName + (one.type ?? '')"), place)
        assert len(kinds) >= 3, name
        for kind, place in kinds.items():
            if place.is_visible() and place.is_enabled():
                place.focus()
                for key in COMMANDS:
                    page.keyboard.press(key)
                assert cells(page) == before, f"{name}, {kind}"
    # Escape leaves: then a key is a command again.
    last = shown.nth(0)
    last.locator("canvas").first.focus()
    page.keyboard.press("Escape")
    assert not page.evaluate("Boolean(document.activeElement.closest('.course-widget'))")
    page.keyboard.press("b")
    expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(len(before) + 1)
