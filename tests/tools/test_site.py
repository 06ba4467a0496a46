"""Lectures as pages: what a reader sees, what is folded, and that every link of them leads somewhere."""

import re
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course_lib.figures import Chart
from course_lib.lecture import HELD_BACK
from course_tools.site import SLIDES, write_index, write_page
from course_tools.tables import syllabus_markdown

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
FOLD = {"text/html": f'<details class="{HELD_BACK}"><summary>Now &amp; here?</summary></details>'}
CHART = Chart("bar", {"BLEU": [3, 2]}, ["short", "long"], "Short is easy", "length", "BLEU", "Short is easy.")


def shown(data):
    return new_output("display_data", data=data)


def code(source, *outputs, **metadata):
    return new_code_cell(source, outputs=list(outputs), execution_count=1, metadata=metadata)


def lecture(name, *cells):
    return new_notebook(cells=[new_markdown_cell(f"# {name}\n\nOf which $x$."), *cells])


@pytest.fixture
def page(tmp_path):
    """Make the page of a lecture with these cells and return its HTML."""

    def make(*cells):
        path = tmp_path / "new folder" / "01_one.html"
        assert write_page(lecture("One", *cells), path) == path
        return path.read_text(encoding="utf-8")

    return make


def test_minutes_stand_at_the_heading_and_in_the_plan(page):
    opening = new_markdown_cell("# Two *titles*", metadata={"minutes": 1})
    part = new_markdown_cell("## Count\n\nFirst.\n\n### Below", metadata={"minutes": 2.5})
    small = new_markdown_cell("### Smaller", metadata={"minutes": 3})
    html = page(opening, part, small)
    assert '<h2 id="Count">Count <span class="minutes">2.5 minutes</span></h2>' in html
    assert '<h3 id="Below">Below</h3>' in html
    plan = re.findall(r'<li><a href="#(.*?)">(.*?)</a> <span class="minutes">(.*?)</span></li>', html)
    assert plan == [
        (opening.id, "Opening", "1 minute"),
        (part.id, "Count", "2.5 minutes"),
        (small.id, "Smaller", "3 minutes"),
    ]
    assert 'class="plan"' not in page(new_markdown_cell("no minutes"))


def test_notes_are_there_and_apart(page):
    html = page(new_markdown_cell("Said.", metadata={"speaker_notes": "Ask *first*: $x^2$?"}))
    (notes,) = re.findall(r'<aside class="notes">(.*?)</aside>', html, re.DOTALL)
    assert "<em>first</em>" in notes and "<msup>" in notes
    assert "Ask" not in html.replace(notes, "")


def test_an_answer_and_what_answers_stay_folded(page):
    held = code("draw()", shown(FOLD), new_output("stream", text="7 < 8"))
    html = page(held, new_markdown_cell("<details><summary>Answer</summary>\n\n**(b)**\n\n</details>"))
    answer = '<details class="answer"><summary>Now &amp; here?</summary><pre>7 &lt; 8</pre></details>'
    assert answer in html and HELD_BACK not in html
    assert re.search(r"<details>\s*<summary>Answer</summary>.*?<strong>\(b\)</strong>", html, re.DOTALL)


def test_code_is_in_sight_unless_the_notebook_hides_it(page):
    html = page(code("in_sight"), code("folded", jupyter={"source_hidden": True}))
    before, between = html.partition("folded")[0].split("in_sight")
    assert "<summary>code</summary>" not in before and "<summary>code</summary>" in between
    added = code("PRESET = 'smoke'", new_output("stream", text="said"), tags=["injected-parameters"])
    assert "said" not in page(added)


def test_links_to_lectures_lead_to_their_pages(page):
    html = page(new_markdown_cell("[next](02_two.ipynb), [part](02_two.ipynb#a), [far](https://a.b/c.ipynb)"))
    assert re.findall(r'href="(\w+\.html[^"]*|https:[^"]*)"', html)[1:] == [
        "02_two.html",
        "02_two.html#a",
        "https://a.b/c.ipynb",
    ]


def test_what_is_shown_links_to_headings_of_other_lectures(page):
    heading = "6 · One *net*, $2^n$ paths"
    shown_link = shown({"text/markdown": "[02 net](02_two.ipynb#6-·-One-net,-%242^n%24-paths)"})
    html = page(code("table", shown_link), new_markdown_cell(f"## {heading}"))
    (link,) = re.findall(r'href="02_two.html#(.*?)"', html)
    assert f'id="{unquote(link)}"' in html


def test_the_index_of_the_course_leads_to_headings_that_are_there():
    text = syllabus_markdown()
    links = set(re.findall(r"\]\((\w+)\.ipynb#([^\n]*?)\)(?= ·| \|)", text))
    assert len(links) > 150
    for name, place in links:
        notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        markdown = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        headings = re.findall(r"^#+ (.+)$", markdown, re.MULTILINE)
        assert unquote(place) in [re.sub(r"[*`]", "", heading).replace(" ", "-") for heading in headings]


def test_a_chart_brings_plotly_as_one_file_for_all_pages(page, tmp_path):
    assert "plotly" not in page(new_markdown_cell("no chart"))
    assert not (tmp_path / "new folder" / "plotly.js").exists()
    data = {"application/vnd.plotly.v1+json": CHART.plotly().to_plotly_json(), "text/plain": CHART.alt}
    html = page(code("draw()", shown(data)))
    assert '<script defer src="plotly.js">' in html and f'aria-label="{CHART.alt}"' in html
    assert len(html) < 20_000 and (tmp_path / "new folder" / "plotly.js").stat().st_size > 1_000_000


def test_every_link_leads_somewhere(tmp_path):
    lectures = [tmp_path / f"{name}.ipynb" for name in ("01_one", "02_two", "03 three")]
    for number, path in enumerate(lectures):
        part = new_markdown_cell(f"## Part {number}", metadata={"minutes": 4})
        nbformat.write(lecture(f"No. {number}", part, code("1")), path)
    site = tmp_path / "site"
    for path in lectures[::2]:
        write_page(nbformat.read(path, as_version=4), site / f"{path.stem}.html")
        (site / SLIDES).mkdir(exist_ok=True)
        (site / SLIDES / f"{path.stem}.html").touch()
    index = write_index(lectures, site).read_text(encoding="utf-8")
    assert re.findall(r"<h2>(?:<a [^>]*>)?(No\. \d)", index) == ["No. 0", "No. 1", "No. 2"]
    assert index.count("4 minutes") == 3 and "02_two" not in index  # its page is not made yet
    for path in site.glob("*.html"):
        html = path.read_text(encoding="utf-8")
        for address in re.findall(r'(?:href|src)="(.*?)"', html):
            file, _, place = address.partition("#")
            target = site / unquote(file) if file else path
            assert target.exists(), address
            assert not place or f'id="{place}"' in target.read_text(encoding="utf-8"), address


def test_a_notebook_that_was_not_run_is_refused(tmp_path):
    with pytest.raises(ValueError, match="was not run"):
        write_page(new_notebook(cells=[new_code_cell("1")]), tmp_path / "a.html")
    assert not (tmp_path / "a.html").exists()


def test_a_lecture_without_a_heading_goes_by_its_file(tmp_path):
    path = write_page(new_notebook(cells=[new_markdown_cell("Plain.")]), tmp_path / "a & b.html")
    assert "<title>a &amp; b</title>" in path.read_text(encoding="utf-8")
