"""A reader types a sentence into the attention heatmap: live in JupyterLab, and where there is no kernel."""

import pytest

from course_lib.applications.translator import load_translator
from course_lib.widgets import AttentionHeatmap

expect = pytest.importorskip("playwright.sync_api").expect

SETUP = """
from course_lib.applications.translator import load_translator
from course_lib.widgets import AttentionHeatmap
model = load_translator("transformer")
widget = AttentionHeatmap(model.attention_trace("I like cats."), translator=model, lines="all")
widget
"""


def test_another_sentence_in_lab(notebook, run_code, exported, tmp_path):
    page = notebook("typed", [SETUP, "pass"])
    sentence, complaint = page.get_by_label("Your sentence"), page.locator(".course-form [role=alert]")
    expect(sentence).to_be_enabled()
    sentence.fill("?!")
    sentence.press("Enter")
    expect(complaint).to_contain_text("“?!” holds no word")
    expect(page.locator(".course-widget > h3")).to_have_text("I like cats.")
    expect(sentence).to_have_value("?!")
    sentence.fill("I don’t\u00a0know 😀.")
    page.get_by_role("button", name="Translate").click()
    expect(page.locator(".course-widget > h3")).to_have_text("I don't know 😀.")
    expect(complaint).to_be_empty()
    expect(page.locator(".course-never")).to_contain_text("Never seen in training: “😀”.")
    read = load_translator("transformer").source_pieces("I don't know 😀.")
    pieces = page.locator(".course-reading bdi")
    assert pieces.all_inner_texts() == list(read)
    assert page.locator(".course-unseen").all_inner_texts() == [one for one in read if one.startswith("<0x")]
    assert page.locator(".course-unseen").first.evaluate(
        "one => getComputedStyle(one).borderBottomStyle"
    ) == ("dotted")
    # What is shown is what the kernel holds, and what a saved page holds.
    assert run_code(page, "print(widget.trace.title, widget.view['lines'])").strip() == "I don't know 😀. all"
    with page.expect_download() as download:
        page.get_by_role("button", name="Save HTML").click()
    copy = tmp_path / "copy.html"
    copy.write_bytes(download.value.path().read_bytes())
    saved = exported(copy)
    expect(saved.locator(".course-widget > h3")).to_have_text("I don't know 😀.")
    expect(saved.locator(".course-never")).to_contain_text("“😀”")
    expect(saved.get_by_label("Your sentence")).to_be_disabled()
    expect(saved.locator(".course-form [role=alert]")).to_contain_text("This page has no kernel")


def test_a_name_that_is_lent_another_is_shown_and_told(notebook):
    page = notebook("lent", [SETUP])
    sentence = page.get_by_label("Your sentence")
    expect(sentence).to_be_enabled()
    sentence.fill("Anna's mother lives in Berlin 😀.")
    sentence.press("Enter")
    expect(page.locator(".course-widget > h3")).to_have_text("Anna's mother lives in Berlin 😀.")
    told = "“Anna” was read as “Tom”, “Berlin” was read as “Boston”. In the translation they are put back."
    expect(page.get_by_text("Names that the model hardly knows")).to_contain_text(told)
    assert {"▁Anna", "▁Berlin"} < set(page.locator(".course-reading bdi").all_inner_texts())
    expect(page.locator(".course-never")).to_contain_text("Never seen in training: “😀”.")
    sentence.fill("I like cats.")
    sentence.press("Enter")
    expect(page.locator(".course-widget > h3")).to_have_text("I like cats.")
    expect(page.get_by_text("Names that the model hardly knows")).to_have_count(0)


def test_without_a_translator_there_is_nothing_to_type(exported, tmp_path):
    trace = load_translator("bahdanau").attention_trace("I like cats.")
    page = exported(AttentionHeatmap(trace).export_html(tmp_path / "page.html"))
    assert page.locator("form, .course-reading").count() == 0


FORM = """
import ipywidgets
from matplotlib.figure import Figure
from course_lib.applications.translator import load_translator
from course_lib.figures import Picture
from course_lib.figures.display import show
from course_lib.widgets import AttentionHeatmap
display(AttentionHeatmap(load_translator("bahdanau").attention_trace("I like cats.")))
form = ipywidgets.Text("Where is the milk?", description="question")
form.add_class("course-live")
show(Picture.of(Figure((1, 1)), "a picture"), form._repr_mimebundle_(), "auto")
"""


def test_a_form_of_ipywidgets_stands_on_the_paper_of_the_page(notebook):
    """The widgets' own paper stays light, and labels take the page's colour: white on white in the dark."""
    page = notebook("form", [FORM])
    form = page.locator(".course-live")
    expect(form.locator("label")).to_have_text("question")
    assert form.evaluate("box => getComputedStyle(box).backgroundColor") == "rgba(0, 0, 0, 0)"
    expect(page.locator(".course-twin", has=page.get_by_alt_text("a picture"))).to_be_hidden()
