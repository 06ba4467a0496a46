import re
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course_lib.figures import Chart, show_source
from course_lib.lecture import HELD_BACK, set_up
from course_tools.markdown import markdown_html
from course_tools.slides import write_deck
from course_tools.slides.deck import HERE

LECTURES = sorted(Path(__file__).parents[2].glob("notebooks/*.ipynb"))
CHART = Chart(
    "bar", {"BLEU": [3, 2]}, ["short", "long"], "<Short> is easy", "length", "BLEU", "Short is easy."
)


def markdown(source, kind="slide", **metadata):
    return new_markdown_cell(source, metadata={"slideshow": {"slide_type": kind}, **metadata})


def code(source, *outputs, kind="fragment", **metadata):
    metadata = {"slideshow": {"slide_type": kind}, **metadata}
    return new_code_cell(source, outputs=list(outputs), execution_count=1, metadata=metadata)


def shown(data):
    return new_output("display_data", data=data)


def printed(text, name="stdout"):
    return new_output("stream", text=text, name=name)


@pytest.fixture
def deck(tmp_path):
    """Make a deck of cells and return its HTML."""

    def make(*cells):
        path = tmp_path / "new folder" / "deck.html"
        assert write_deck(new_notebook(cells=list(cells)), path) == path
        return path.read_text(encoding="utf-8")

    return make


def slides(html):
    """The page of each slide."""
    return re.findall(
        r'<div class="page">(.*?)</div><aside class="notes">(.*?)</aside></section>', html, re.S
    )


def test_slide_types_say_where_a_cell_stands(deck):
    html = deck(
        markdown("# One"),
        markdown("below", "subslide"),
        markdown("on a key", "fragment"),
        markdown("nowhere", "skip"),
        markdown("## Two"),
        new_code_cell("papermill = 'adds this'", execution_count=1, outputs=[printed("added")]),
    )
    first, second, third = [page for page, _ in slides(html)]
    assert "<h1>One</h1>" in first and "below" in second and "<h2>Two</h2>" in third
    assert re.search(r'<div class="part fragment"><p>on a key</p>', second)
    assert "nowhere" not in html and "added" not in html and "adds this" not in html
    assert "<title>One</title>" in html
    assert len(re.findall(r"<section><section", html)) == 2  # two stacks


def test_notes_and_minutes_are_for_the_speaker_only(deck):
    ((page, notes),) = slides(deck(markdown("## One", speaker_notes="Ask *first*: $x^2$?", minutes=4)))
    assert "Ask" not in page and "minutes" not in page
    assert "<p>4 minutes</p>" in notes and "<em>first</em>" in notes and "<msup>" in notes
    assert 'data-timing="240"' in deck(markdown("## One", minutes=4))


def test_code_is_folded_unless_it_is_the_point(deck):
    ((page, _),) = slides(
        deck(
            markdown("## One"),
            code("hidden = 1", printed("shown < 2")),
            code("point = 2", tags=["show-code"]),
            code("defined = 3"),
        )
    )
    parts, folded = page.split("<details><summary>code</summary>")
    assert "hidden" in folded and "defined" in folded and "point" not in folded
    assert "point" in parts and "hidden" not in parts and "<pre>shown &lt; 2</pre>" in parts
    assert parts.count("fragment") == 2  # no key is pressed for a cell that shows nothing


def test_an_answer_comes_on_a_key(deck):
    question = "Is $a$ it?\n\n<details><summary>Answer</summary>No: $b^2$ and *more*.</details>"
    ((page, _),) = slides(deck(markdown(question)))
    assert "<details>" not in page and "$" not in page
    answer = page.partition('<div class="fragment answer">')[2]
    assert "<strong>Answer.</strong> No: <math" in answer and "<em>more</em>" in answer


def test_what_a_cell_holds_back_comes_on_a_key_and_without_the_fold(deck):
    fold = shown({"text/html": f'<details class="{HELD_BACK}"><summary>?</summary></details>'})
    cell = code("draw()", fold, printed("the answer"))
    cell.metadata.slideshow.slide_type = "-"
    ((page, _),) = slides(deck(markdown("## One"), cell))
    assert '<div class="part fragment"><pre>the answer</pre></div>' in page and HELD_BACK not in page


def test_what_can_be_moved_stands_before_pictures_and_text(deck):
    chart = {"application/vnd.plotly.v1+json": CHART.plotly().to_plotly_json(), "text/plain": CHART.alt}
    source = {"text/html": show_source(set_up)._repr_html_(), "text/plain": "<Code object>"}
    table = {"text/markdown": "| a |\n| --- |\n| $x$ |", "text/plain": "| a |"}
    picture = {"image/png": "iVBORw0KGgo=", "text/plain": 'a "picture"'}
    outputs = [*map(shown, (chart, source, table, picture)), printed("progress", "stderr")]
    html = deck(markdown("## One"), code("draw()", *outputs))
    ((page, _),) = slides(html)
    assert f'role="img" aria-label="{CHART.alt}"' in page and "\\u003cShort" not in page
    assert "def" in page and "Code object" not in page
    assert "<td><math" in page and 'alt="a &quot;picture&quot;"' in page
    assert "progress" not in page
    assert "Plotly" in html and len(html) > 1_000_000
    assert len(deck(markdown("## One"))) < 400_000  # no chart, no plotly


def test_the_picture_stands_where_nothing_can_bring_the_widget_to_life(deck):
    twin = {"text/html": '<div class="course-twin">picture</div>', "image/png": "iVBORw0KGgo="}
    live = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/plain": "Heatmap(…)"}
    ((page, _),) = slides(
        deck(markdown("## One"), code("draw()", shown(twin), shown(live), printed("after")))
    )
    assert "picture" in page and "Heatmap" not in page and "after" in page


def test_nothing_comes_from_the_network(deck):
    html = deck(markdown("## One"), code("1"))
    assert not re.search(r"""(?:src|href)\s*=\s*["']?\s*(?:https?:)?//""", html)
    assert not re.search(r"@import|url\(\s*['\"]?(?:https?:)?//", html)
    assert (
        """http-equiv="Content-Security-Policy" content="default-src 'self' 'unsafe-inline' data:""" in html
    )


def test_scripts_end_where_the_page_says(deck):
    html = deck(markdown("## One"))
    scripts = re.findall(r"<script>(.*?)</script>", html, re.S)
    assert len(scripts) == 3 and scripts[2] == (HERE / "slides.js").read_text(encoding="utf-8")
    assert all("<!--" not in script for script in scripts)


def test_a_deck_needs_outputs_and_a_slide(tmp_path):
    with pytest.raises(ValueError, match="was not run"):
        write_deck(new_notebook(cells=[markdown("## One"), new_code_cell("1")]), tmp_path / "deck.html")
    with pytest.raises(ValueError, match="no cell has the slide type 'slide'"):
        write_deck(new_notebook(cells=[new_markdown_cell("## One")]), tmp_path / "deck.html")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("lecture", LECTURES, ids=lambda path: path.stem)
def test_every_formula_becomes_mathml(lecture):
    import nbformat

    for cell in nbformat.read(lecture, as_version=4).cells:
        if cell.cell_type == "markdown":
            html = markdown_html(cell.source)
            assert not re.search(r"\\[A-Za-z]", "".join(re.findall(r"<math.*?</math>", html, re.S))), cell.id
            assert r"<code>\\" not in html, cell.id
            assert "<mi>&</mi>" not in html, cell.id  # columns of a form that the converter does not know


def test_a_command_that_the_converter_does_not_know_stands_as_its_name():
    assert "<mi>arg</mi>" in markdown_html(r"$\arg x$")
