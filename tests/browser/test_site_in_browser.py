"""A lecture's page as a reader sees it: from a file, without network, all drawn and nothing cut off."""

import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course_lib.figures import Chart
from course_lib.lecture import HELD_BACK
from course_lib.traces import AttentionTrace
from course_lib.widgets import AttentionHeatmap
from course_tools.site import write_index, write_page

expect = pytest.importorskip("playwright.sync_api").expect

FOLD = {"text/html": f'<details class="{HELD_BACK}"><summary>Open</summary></details>'}


@pytest.fixture
def site(tmp_path, published):
    """A lecture with a chart, a folded chart and a widget; and the index."""
    Chart("bar", {"BLEU": [3, 2]}, ["a", "b"], "Short is easy", "length", "BLEU", "alt")._ipython_display_()
    tokens = tuple(map(str, range(40)))
    AttentionHeatmap(AttentionTrace(np.full((1, 1, 40, 40), 0.025), tokens, tokens))._ipython_display_()
    chart, widget = published

    def code(*outputs):
        outputs = [new_output("display_data", data=data) for data in outputs]
        return new_code_cell("draw()", outputs=outputs, execution_count=1)

    opening = new_markdown_cell("# One", metadata={"speaker_notes": "Wait for them.", "minutes": 3})
    cells = [opening, code(chart), code(FOLD, chart), code(widget)]
    write_page(new_notebook(cells=cells), tmp_path / "one.html")
    return write_index([], tmp_path)


def test_a_page_draws_charts_and_shows_widgets_in_full(site, watched):
    page = watched()
    page.goto((site.parent / "one.html").as_uri())
    charts = page.locator(".chart")
    expect(charts.first.locator(".bars path").first).to_be_visible()
    expect(charts.last).to_be_hidden()
    page.get_by_text("Open", exact=True).click()
    expect(charts.last.locator(".bars path").first).to_be_visible()
    widths = [chart.bounding_box()["width"] for chart in charts.all()]
    assert widths[0] == widths[1] > 600  # what was folded has its room
    frame = page.locator("iframe")
    frame.scroll_into_view_if_needed()
    expect(page.frame_locator("iframe").get_by_role("button", name="Dark")).to_be_visible()
    page.wait_for_function(
        """() => {
          const frame = document.querySelector("iframe"), { body } = frame.contentDocument;
          return frame.clientHeight !== 720 && Math.abs(frame.clientHeight - body.scrollHeight) <= 1;
        }"""
    )


def test_notes_are_shown_to_who_asks_and_the_way_leads_back(site, watched):
    page = watched()
    page.goto((site.parent / "one.html").as_uri())
    notes = page.get_by_text("Wait for them.")
    expect(notes).to_be_hidden()
    page.get_by_label("Speaker’s notes").check()
    expect(notes).to_be_visible()
    page.get_by_role("link", name="All lectures").click()
    expect(page.locator("h1")).to_have_text("Sequence models and attention")
