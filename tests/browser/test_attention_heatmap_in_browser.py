"""The attention heatmap as a reader meets it: live in JupyterLab, in a file, and where nothing is live."""

import io
import json
import re
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest

from course_lib.figures.theme import DARK, LIGHT
from course_lib.traces import AttentionTrace
from course_lib.widgets import AttentionHeatmap

expect = pytest.importorskip("playwright.sync_api").expect

SETUP = """
import gc, weakref
import numpy as np
from IPython.display import display
from course_lib.traces import AttentionTrace
from course_lib.widgets import AttentionHeatmap
scores = np.random.default_rng(0).normal(size=(2, 3, 4, 5)) * 2
weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
trace = AttentionTrace(weights, tuple("wxyz"), tuple("abcde"), head_names=("dot", "general", "concat"))
"""
STRANGE = ["<s>", "</s>", "<b>x</b>", "<script>alert(1)</script>", "%{z}", "$x$", "&amp;", "", " ", "\n"]
STRANGE += ["▁the", "Ġthe", "😀", "سلام", "</s>"]
STRANGE_LABELS = [*STRANGE[:7], "∅", "␣", "⏎", *STRANGE[10:]]


def weights_of_setup():
    scores = np.random.default_rng(0).normal(size=(2, 3, 4, 5)) * 2
    return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)


@pytest.fixture(scope="module")
def strange():
    """Strange tokens, a causal mask, one row without keys, a NaN, and exact zeros."""
    count = len(STRANGE)
    keep = np.tril(np.ones((count, count), bool))
    keep[5] = False
    weights = np.where(keep, np.random.default_rng(1).uniform(0.1, 1, (2, 2, count, count)), 0)
    weights /= np.maximum(weights.sum(-1, keepdims=True), 1e-9)
    weights[:, :, 8, 2] = np.nan
    weights[:, :, 10] = np.eye(count)[1]
    return AttentionTrace(weights, STRANGE, STRANGE, keep=keep)


def readout(page):
    return page.locator(".course-widget .attn-readout")


def read_weight(page):
    return float(re.search(r"weight (\S+)$", readout(page).inner_text()).group(1))


def map_of(page):
    return page.locator(".course-widget .attn-stage canvas")


def press(page, *keys):
    map_of(page).focus()
    for key in keys:
        page.keyboard.press(key)


def pixel(page, across, down):
    """Colour of a point of the chosen cell, from (0, 0), its upper left corner, to (1, 1)."""
    return page.evaluate(
        """([across, down]) => {
            const canvas = document.querySelector(".course-widget .attn-stage canvas");
            const [x, y, size] = canvas.dataset.cell.split(" ").map(Number);
            const ratio = canvas.width / parseFloat(canvas.style.width);
            const at = [x + across * size, y + down * size].map((value) => Math.round(value * ratio));
            return [...canvas.getContext("2d").getImageData(...at, 1, 1).data].slice(0, 3);
        }""",
        [across, down],
    )


def read_table(page):
    """Open the table and return its rows as lists of text."""
    page.locator(".course-widget details summary").click()
    page.locator(".course-widget details table").wait_for()
    return page.evaluate(
        """() => [...document.querySelectorAll(".course-widget details tr")].map(
            (row) => [...row.cells].map((cell) => cell.textContent))"""
    )


def export(tmp_path, trace, **choices):
    return AttentionHeatmap(trace, **choices).export_html(tmp_path / "page.html")


# ---- live in JupyterLab ------------------------------------------------------------------------------


class Messages:
    """What a page says to the kernel about its widgets, and what it hears."""

    def __init__(self):
        self.sent, self.heard = [], []

    def listen(self, page):
        def note(messages, frame):
            text = frame if isinstance(frame, str) else frame.decode("utf-8", "replace")
            if '"comm_msg"' in text and '"update"' in text:
                messages.append(text)

        def hear(socket):
            socket.on("framesent", lambda frame: note(self.sent, frame))
            socket.on("framereceived", lambda frame: note(self.heard, frame))

        page.on("websocket", hear)


def test_choices_need_no_kernel(notebook):
    """The widget is drawn and switched while the kernel is busy, as it is after Run All."""
    display = "widget = AttentionHeatmap(trace)\ndisplay(widget)"
    page = notebook("busy", [SETUP, display, "import time\ntime.sleep(20)"], wait=False)
    weights = weights_of_setup()
    map_of(page).wait_for()
    assert read_weight(page) == pytest.approx(weights[0, 0, 0, 0], rel=1e-5)
    page.locator(".course-widget select[aria-label=Head]").select_option("general")
    press(page, "ArrowDown", "ArrowRight", "ArrowRight", "l")
    assert read_weight(page) == pytest.approx(weights[1, 1, 1, 2], rel=1e-5)
    assert page.locator(".jp-CodeCell .jp-InputPrompt").last.inner_text() == "[*]:"


def test_live_in_lab(notebook, run_code):
    """Python and the reader see the same choice, one message each; closing frees the widget."""
    messages = Messages()
    cells = [SETUP, "widget = AttentionHeatmap(trace)\ndisplay(widget)", "pass"]
    page = notebook("live", cells, listen=messages.listen)
    weights = weights_of_setup()
    # The widget only: its picture is for files.
    expect(page.locator(".course-twin")).to_have_count(1)
    expect(page.locator(".course-twin")).to_be_hidden()

    # A key is a choice of the widget, not a command of Lab ("c" would copy the cell).
    press(page, "c")
    expect(page.locator(".course-widget .course-bars")).to_have_count(2)
    page.wait_for_timeout(500)
    assert len(messages.sent) == 1
    chosen = json.loads(run_code(page, "import json; print(json.dumps(widget.view))"))
    assert (chosen["head"], chosen["other"]) == (0, {"kind": "attention", "layer": 0, "head": 1})

    messages.heard.clear()
    run_code(page, "widget.select(layer=1, head=2, other=None, query=3, key=4)")
    expect(readout(page)).to_contain_text("Row 4 “z”, column 5 “e”: Layer 2 · concat weight")
    assert read_weight(page) == pytest.approx(weights[1, 2, 3, 4], rel=1e-5)
    assert len(messages.heard) == 1

    closing = "ref = weakref.ref(widget); widget.close(); del widget; gc.collect(); print(ref())"
    assert run_code(page, closing).strip() == "None"
    expect(page.locator(".course-widget")).to_have_count(0)


# ---- where nothing is live -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A notebook that ran without any front end, as `jupyter execute` leaves it."""
    from nbclient import NotebookClient

    code = [SETUP, "display(AttentionHeatmap(trace))", "print('the next output')"]
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in code])
    content.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    NotebookClient(content, store_widget_state=False).execute()
    path = tmp_path_factory.mktemp("finished") / "finished.ipynb"
    nbformat.write(content, path)
    return path


def sees_the_picture(page):
    pictures = page.locator("img[alt*='looks most at']")
    expect(pictures).to_have_count(1)
    expect(pictures).to_be_visible()
    assert pictures.evaluate("image => image.naturalWidth") > 200
    expect(page.get_by_text("the next output", exact=True)).to_be_visible()
    assert "model not found" not in page.locator("body").inner_text()
    assert "AttentionHeatmap object" not in page.locator("body").inner_text()


@pytest.mark.parametrize("kernel", [True, False])
def test_reopened_untrusted(finished, saved_notebook, kernel):
    """Somebody else's notebook: Lab cleans its HTML and draws no widget."""
    sees_the_picture(saved_notebook(finished, kernel))


def test_reopened_after_saving(notebook, saved_notebook, lab):
    """My own notebook, saved and trusted: the widget's model is gone with its kernel."""
    page = notebook("saved", [SETUP, "display(AttentionHeatmap(trace))", "print('the next output')"])
    map_of(page).wait_for()
    page.get_by_role("menuitem", name="File", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^Save Notebook")).first.click()
    path = lab[2] / "saved.ipynb"
    page.wait_for_function("() => !document.querySelector('.jp-mod-dirty')")
    saved = nbformat.read(path, as_version=4)
    assert "widgets" not in saved.metadata
    assert saved.cells[1].outputs
    page.close()
    page = saved_notebook(path)
    # The widget's output says so by now, but not to the reader.
    page.get_by_text("model not found").wait_for(state="attached")
    sees_the_picture(page)


def test_exported_by_nbconvert(finished, tmp_path, exported):
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(mathjax_url="", require_js_url="", mermaid_js_url="")
    body, _ = exporter.from_filename(str(finished))
    path = tmp_path / "page.html"
    path.write_text(body, encoding="utf-8")
    sees_the_picture(exported(path))


# ---- the exported page ---------------------------------------------------------------------------------


def test_keys_click_and_hover(tmp_path, exported):
    weights = weights_of_setup()
    trace = AttentionTrace(weights, tuple("wxyz"), tuple("abcde"))
    page = exported(export(tmp_path, trace))
    for keys, where in (
        (["ArrowDown", "End"], (0, 0, 1, 4)),
        (["h", "h", "ArrowLeft"], (0, 2, 1, 3)),
        (["h", "L", "Home", "PageDown"], (1, 0, 3, 0)),
        (["H", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp"], (1, 2, 0, 0)),
    ):
        press(page, *keys)
        assert read_weight(page) == pytest.approx(weights[where], rel=1e-5)
    x, y, size = map(float, map_of(page).get_attribute("data-cell").split())
    third = {"x": x + 2.5 * size, "y": y + 1.5 * size}
    map_of(page).hover(position=third)
    assert read_weight(page) == pytest.approx(weights[1, 2, 1, 2], rel=1e-5)
    page.mouse.move(5, 5)
    assert read_weight(page) == pytest.approx(weights[1, 2, 0, 0], rel=1e-5)
    map_of(page).click(position=third)
    page.mouse.move(5, 5)
    assert read_weight(page) == pytest.approx(weights[1, 2, 1, 2], rel=1e-5)


def test_strongest_keys_sum_and_entropy(tmp_path, exported):
    weights = weights_of_setup()
    trace = AttentionTrace(weights, tuple("wxyz"), tuple("abcde"))
    page = exported(export(tmp_path, trace, query=2, layer=1))
    listed = page.locator(".course-bars li bdi").all_inner_texts()
    assert listed == ["abcde"[i] for i in np.argsort(-weights[1, 0, 2])]
    rows = read_table(page)
    assert rows[0] == ["query", *"abcde", "sum", "entropy in bits"]
    shown = np.array([row[1:] for row in rows[1:]], float)
    np.testing.assert_allclose(shown[:, :5], weights[1, 0], rtol=1e-5)
    np.testing.assert_allclose(shown[:, 5], 1, atol=1e-4)
    entropies = [-(row @ np.log2(row)) for row in weights[1, 0]]
    np.testing.assert_allclose(shown[:, 6], entropies, atol=1e-4)


def test_candidates_move_with_the_row(tmp_path, exported):
    trace = AttentionTrace(
        np.full((1, 1, 2, 4), 0.25),
        ("x", "y"),
        tuple("abcd"),
        candidates=(("x", "</s>"), ("y", "<b>")),
        candidate_probabilities=[[0.75, 0.125], [0.5, 0.25]],
    )
    page = exported(export(tmp_path, trace))
    press(page, "ArrowDown")
    assert page.locator(".course-bars").last.locator("bdi").all_inner_texts() == ["y", "<b>"]
    assert page.locator(".course-bars").last.locator("b").all_inner_texts() == ["0.50", "0.25"]


def test_the_step_slider_moves_row_and_candidates(tmp_path, exported):
    weights = weights_of_setup()[:1, :1]
    chances = np.array([[0.5], [0.25], [0.125], [0.0625]])
    trace = AttentionTrace(
        weights,
        tuple("wxyz"),
        tuple("abcde"),
        candidates=tuple((name,) for name in "xyz."),
        candidate_probabilities=chances,
    )
    page = exported(export(tmp_path, trace))
    slider = page.get_by_role("slider", name="Step")
    slider.focus()
    page.keyboard.press("End")
    assert read_weight(page) == pytest.approx(weights[0, 0, 3, 0], rel=1e-5)
    assert page.locator(".course-bars").last.locator("b").all_inner_texts() == ["0.06"]
    assert slider.get_attribute("aria-valuetext") == "4 of 4: z"
    press(page, "ArrowUp")
    assert slider.input_value() == "3"


def test_strange_tokens_stay_text(tmp_path, exported, strange):
    """Shown as they are, styled by nothing, lost by nothing, run by nothing."""
    page = exported(export(tmp_path, strange))
    rows = read_table(page)
    assert rows[0][1:-2] == STRANGE_LABELS
    assert [row[0] for row in rows[1:]] == STRANGE_LABELS
    for place, label in enumerate(STRANGE_LABELS):
        assert f"Row {place + 1} “{label}”, column 1 “<s>”" in readout(page).inner_text()
        press(page, "ArrowDown")
    assert page.locator(".course-widget :is(script, s, td b, th b, bdi b)").count() == 0


def test_masked_zero_and_nan_differ(tmp_path, exported, strange):
    page = exported(export(tmp_path, strange))
    rows = read_table(page)
    assert rows[9][3] == "NaN"
    assert rows[9][-2:] == ["NaN", "NaN"]
    assert rows[6][1] == "masked"
    assert rows[6][-2:] == ["0.0000", "0.0000"]
    assert rows[11][1:3] == ["0", "1"]
    texts = page.locator(".attn-legend").inner_text()
    assert all(name in texts for name in ("exactly 0", "masked", "NaN"))
    looks = []
    for query, key, said in ((8, 2, "NaN"), (5, 0, "masked"), (10, 0, "weight 0"), (10, 1, "weight 1")):
        press(page, *["ArrowUp"] * 15, "Home", *["ArrowDown"] * query, *["ArrowRight"] * key)
        assert readout(page).inner_text().endswith(said)
        # Colours of the middle, and along a line across the cell: a pattern changes along it.
        looks.append([tuple(pixel(page, 0.2 + 0.6 * i / 24, 0.5)) for i in range(25)])
    assert len({frozenset(look) for look in looks}) == 4
    assert all(len(set(look)) > 1 for look in looks[:3])


def test_colours_are_those_of_cividis_on_a_fixed_scale(tmp_path, exported):
    """0 to 1 unless the reader asks otherwise; a difference of 1e-9 cannot be seen."""
    import matplotlib

    weights = np.array([[0.25, 0.25, 0.25 + 1e-9, 0.25 - 1e-9]])[None, None]
    page = exported(export(tmp_path, AttentionTrace(weights, ("q",), tuple("abcd"))))

    def expected(share):
        return [round(255 * part) for part in matplotlib.colormaps["cividis"](round(255 * share))[:3]]

    for _ in range(4):
        assert pixel(page, 0.15, 0.15) == expected(0.25)
        press(page, "ArrowRight")
    press(page, "s")
    assert pixel(page, 0.15, 0.15) == expected(1)
    assert "0.25" in page.locator(".attn-legend").inner_text()


def test_two_heads_on_one_scale(tmp_path, exported):
    weights = np.stack([np.eye(3), np.full((3, 3), 1 / 3)])[None]
    trace = AttentionTrace(weights, tuple("xyz"), tuple("abc"), head_names=("sharp", "flat"))
    page = exported(export(tmp_path, trace))
    press(page, "c")
    expect(readout(page)).to_contain_text("sharp weight 1, flat weight 0.333333")
    press(page, "s")
    assert re.search(r"weight 0\s*1", page.locator(".attn-legend").inner_text())
    press(page, "h")
    expect(readout(page)).to_contain_text("flat weight 0.333333, flat weight 0.333333")
    assert "0.333333" in page.locator(".attn-legend").inner_text()


def test_guess_hides_until_guessed(tmp_path, exported):
    weights = weights_of_setup()[:1, :1]
    page = exported(export(tmp_path, AttentionTrace(weights, tuple("wxyz"), tuple("abcde"))))
    page.get_by_role("button", name="Guess first").click()
    assert "hidden" in readout(page).inner_text()
    assert page.locator(".course-bars").count() == 0
    best = int(weights[0, 0, 0].argmax())
    press(page, *["ArrowRight"] * best, "Enter")
    expect(page.locator(".attn-verdict")).to_contain_text("Right")
    assert read_weight(page) == pytest.approx(weights.max(axis=-1)[0, 0, 0], rel=1e-5)
    press(page, "ArrowDown")
    assert "hidden" in readout(page).inner_text()
    assert read_table(page)[2][1] == "?"


def test_all_heads(tmp_path, exported):
    """48 small maps; choosing one by keyboard shows it."""
    scores = np.random.default_rng(3).normal(size=(4, 12, 32, 32))
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    names = [f"w{i}" for i in range(32)]
    page = exported(export(tmp_path, AttentionTrace(weights, names, names)))
    press(page, "g")
    expect(page.locator(".attn-thumbnails button")).to_have_count(48)
    page.get_by_role("button", name="Layer 3, Head 7").focus()
    page.keyboard.press("Enter")
    assert read_weight(page) == pytest.approx(weights[2, 6, 0, 0], rel=1e-5)
    expect(page.locator(".attn-thumbnails [aria-pressed=true]")).to_have_attribute(
        "aria-label", "Layer 3, Head 7"
    )


def test_512_tokens_are_shown_in_a_window(tmp_path, exported):
    scores = np.random.default_rng(2).normal(size=(1, 1, 512, 512))
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    queries, keys = [f"q{i}" for i in range(512)], [f"k{i}" for i in range(512)]
    page = exported(export(tmp_path, AttentionTrace(weights, queries, keys)))
    assert float(map_of(page).get_attribute("data-cell").split()[2]) >= 14
    press(page, "ArrowDown", "End")
    assert readout(page).inner_text().startswith("Row 2 “q1”, column 512 “k511”")
    assert read_weight(page) == pytest.approx(weights[0, 0, 1, 511], rel=1e-5)
    expect(page.locator(".attn-note")).to_contain_text("512 of 512")
    overview = page.locator(".attn-overview")
    overview.click(position={"x": 128, "y": 192})
    assert re.match(r"Row 38\d “q38\d”, column 25\d “k25\d”", readout(page).inner_text())
    shown = re.match(r"Rows (\d+)–(\d+) of 512", page.locator(".attn-note").inner_text())
    row = int(re.match(r"Row (\d+)", readout(page).inner_text()).group(1))
    assert int(shown.group(1)) <= row <= int(shown.group(2))


def test_equal_tokens_stay_apart(tmp_path, exported):
    weights = np.array([[0.125, 0.5, 0.375], [0.25, 0.25, 0.5]])[None, None]
    page = exported(export(tmp_path, AttentionTrace(weights, ("the", "the"), ("a", "a", "a"))))
    press(page, "ArrowRight", "ArrowDown")
    assert readout(page).inner_text() == "Row 2 “the”, column 2 “a”: weight 0.25"
    assert read_table(page)[1][1:4] == ["0.125", "0.5", "0.375"]


def test_dark_and_large(tmp_path, exported):
    weights = weights_of_setup()
    page = exported(export(tmp_path, AttentionTrace(weights, tuple("wxyz"), tuple("abcde"))))
    widget = page.locator(".course-widget")
    look = "element => [getComputedStyle(element).backgroundColor, getComputedStyle(element).fontSize]"
    assert widget.evaluate(look) == ["rgb(255, 255, 255)", "14px"]
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("button", name="Large type").click()
    assert widget.evaluate(look) == ["rgb(20, 24, 29)", "21px"]
    assert page.get_by_role("button", name="Dark").get_attribute("aria-pressed") == "true"


def softmax(shape, seed=0):
    scores = np.random.default_rng(seed).normal(size=shape) * 2
    return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)


@pytest.fixture
def kinds():
    """As a Transformer has: 3 source words, 4 target words; the decoder may not look ahead."""
    keep = np.tril(np.ones((4, 4), bool))
    inward = np.where(keep, softmax((2, 2, 4, 4), 1), 0)
    inward /= inward.sum(-1, keepdims=True)
    written, read = tuple("wxyz"), tuple("abc")
    return {
        "encoder": AttentionTrace(softmax((2, 2, 3, 3)), read, read, title="The encoder"),
        "decoder": AttentionTrace(inward, written, written, keep=keep),
        "cross": AttentionTrace(softmax((1, 3, 4, 3), 2), written, read, title="Across"),
    }


def test_kinds_are_chosen_and_what_they_lack_is_left(tmp_path, exported, kinds):
    page = exported(export(tmp_path, kinds, layer=1, head=1, query=2, key=1))
    assert read_weight(page) == pytest.approx(kinds["encoder"].weights[1, 1, 2, 1], rel=1e-5)
    page.get_by_label("Kind", exact=True).select_option("cross")
    expect(page.locator(".course-widget > h3")).to_have_text("Across")
    # The cross attention here has one layer only, and so no choice of one.
    assert read_weight(page) == pytest.approx(kinds["cross"].weights[0, 1, 2, 1], rel=1e-5)
    expect(page.get_by_label("Layer", exact=True)).to_be_hidden()
    assert page.get_by_label("Head", exact=True).locator("option").count() == 3
    press(page, "ArrowDown", "K")
    assert "Row 4 “z”, column 2 “x”" in readout(page).inner_text()
    press(page, "k", "k")
    assert "Row 3 “c”, column 2 “b”" in readout(page).inner_text()


def test_two_maps_and_their_difference(tmp_path, exported, kinds):
    first, second = kinds["encoder"].weights[0, 0], kinds["encoder"].weights[1, 1]
    page = exported(export(tmp_path, kinds, query=1, key=2, other={"layer": 1, "head": 1}))
    page.get_by_role("button", name="Difference").click()
    gap = first - second
    shown = readout(page).inner_text()
    assert float(re.search(r"difference (\S+)$", shown).group(1).replace("−", "-")) == pytest.approx(
        gap[1, 2], rel=1e-4
    )
    page.locator(".course-widget details summary").click()
    tables = page.locator(".course-widget details table")
    expect(tables).to_have_count(3)
    moved = [float(text) for text in tables.last.locator("tbody td:last-child").all_inner_texts()]
    np.testing.assert_allclose(moved, np.abs(gap).sum(-1) / 2, atol=1e-4)
    # Other words on rows: side by side, but no difference; and the toggle says so by being off.
    page.get_by_label("Kind of the second map").select_option("cross")
    expect(page.get_by_role("button", name="Difference")).to_be_disabled()
    expect(tables).to_have_count(2)
    assert tables.last.locator("tbody th").all_inner_texts() == list("wxyz")
    press(page, "c")
    expect(page.get_by_label("Kind of the second map")).to_be_hidden()


def test_what_is_shown_can_be_saved(tmp_path, exported, kinds, save):
    """As PNG, as SVG with every word, and as a page that is this widget with these choices."""
    page = exported(export(tmp_path, kinds, kind="decoder", query=2))
    press(page, "h")

    png = save(page, "PNG")
    assert png.startswith(b"\x89PNG")
    svg = ElementTree.parse(io.BytesIO(save(page, "SVG"))).getroot()
    name = "{http://www.w3.org/2000/svg}"
    texts = [text.text for text in svg.iter(f"{name}text")]
    assert [text for text in texts if text in tuple("wxyz")] == list("wxyz") * 2
    row = kinds["decoder"].weights[0, 1, 2]
    assert {f"{weight:.2f}".removeprefix("0") for weight in row[:3]} <= set(texts)
    assert "Attention weights, 4 rows by 4 columns" in svg.find(f"{name}desc").text
    copy = tmp_path / "copy.html"
    copy.write_bytes(save(page, "HTML"))
    page = exported(copy)
    assert "Row 3 “y”, column 1 “w”: decoder · Layer 1 · Head 2" in readout(page).inner_text()
    assert read_weight(page) == pytest.approx(row[0], rel=1e-5)
    assert "looks most at" in page.locator("noscript").text_content()


def drawn_lines(page):
    """Of the SVG that the reader saves: where each word stands, and (opacity, width) of each line."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Save SVG").press("Enter")  # the pointer stays where it is
    name = "{http://www.w3.org/2000/svg}"
    svg = ElementTree.parse(download.value.path()).getroot()
    places = {text.text: (float(text.get("x")), float(text.get("y"))) for text in svg.iter(f"{name}text")}
    at = {}
    for text, (_, y) in places.items():
        at.setdefault(y, set()).add(text)
    lines = {}
    for path in svg.iter(f"{name}path"):
        (_, y0), (_, y1) = (map(float, end.split()) for end in path.get("d").removeprefix("M").split("L"))
        (query,), (key,) = at[y0] & set("wxyz"), at[y1] & set("abcde")
        lines[query, key] = float(path.get("stroke-opacity", 1)), float(path.get("stroke-width"))
    return places, lines


def test_lines_between_words(tmp_path, exported):
    """The stronger the larger the weight; none to a masked key; of one row where it is chosen."""
    weights = weights_of_setup()[0, 0]
    keep = np.ones((4, 5), bool)
    keep[1, 3] = False
    weights[1, 3] = 0
    page = exported(
        export(tmp_path, AttentionTrace(weights[None, None], tuple("wxyz"), tuple("abcde"), keep=keep))
    )
    page.get_by_role("button", name="Lines", exact=True).click()
    expect(map_of(page)).to_have_attribute("aria-roledescription", "lines between words")
    places, lines = drawn_lines(page)
    seen = {
        (q, k): weights[i, j]
        for i, q in enumerate("wxyz")
        for j, k in enumerate("abcde")
        if keep[i, j] and weights[i, j] >= 0.005
    }
    assert lines.keys() == seen.keys()
    assert {pair: opacity for pair, (opacity, _) in lines.items()} == pytest.approx(seen, rel=1e-5)
    order = sorted(seen, key=seen.get)
    assert order == sorted(lines, key=lambda pair: lines[pair][1])
    # Pointing at a word shows its lines, and only as long as it is pointed at.
    across, down = places["y"]
    map_of(page).hover(position={"x": across - 5, "y": down})
    assert {query for query, _ in drawn_lines(page)[1]} == {"y"}
    page.mouse.move(5, 5)
    assert drawn_lines(page)[1].keys() == seen.keys()
    # A key press chooses a row: its lines alone, also when the head changes or the page is saved.
    press(page, "ArrowDown")
    assert {query for query, _ in drawn_lines(page)[1]} == {"x"}
    expect(page.get_by_role("button", name="One row")).to_have_attribute("aria-pressed", "true")
    assert "masked" in drawn_lines(page)[0]
    press(page, "o")
    assert drawn_lines(page)[1].keys() == seen.keys()
    press(page, "v")
    expect(map_of(page)).to_have_attribute("aria-roledescription", "heatmap")
    assert read_weight(page) == pytest.approx(weights[1, 0], rel=1e-5)


def test_128_tokens_are_shown_whole_and_zoomed_into(tmp_path, exported):
    names = [f"w{i}" for i in range(128)]
    page = exported(
        export(tmp_path, AttentionTrace(softmax((1, 1, 128, 128)), names, names), query=70, key=60)
    )
    expect(page.locator(".attn-overview")).to_be_hidden()
    cell = float(map_of(page).get_attribute("data-cell").split()[2])
    assert 3 <= cell < 8
    press(page, "+", "+", "+", "+", "+")
    expect(page.locator(".attn-overview")).to_be_visible()
    assert float(map_of(page).get_attribute("data-cell").split()[2]) > 3 * cell
    box = page.locator(".attn-overview").bounding_box()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.75 * box["height"])
    page.mouse.up()
    first, last = map(int, re.match(r"Rows (\d+)–(\d+) of", page.locator(".attn-note").inner_text()).groups())
    assert (first, last) == (pytest.approx(65, abs=3), pytest.approx(97, abs=3))
    press(page, *["-"] * 5)
    expect(page.locator(".attn-overview")).to_be_hidden()


def test_nan_and_masks_show_in_the_pooled_map(tmp_path, exported):
    weights = np.tril(np.ones((300, 300))) / np.arange(1, 301)[:, None]
    weights[200, 100] = np.nan
    keep = np.tril(np.ones((300, 300), bool))
    names = [f"w{i}" for i in range(300)]
    page = exported(export(tmp_path, AttentionTrace(weights[None, None], names, names, keep=keep)))
    bad, masked = ([int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (LIGHT.bad, LIGHT.masked))
    size, places, corner = page.evaluate(
        """([bad]) => {
            const map = document.querySelector(".attn-overview");
            const { data } = map.getContext("2d").getImageData(0, 0, map.width, map.height);
            const at = (i) => [...data.subarray(4 * i, 4 * i + 3)];
            const all = Array.from({ length: map.width * map.height }, (_, i) => i);
            const found = all.filter((i) => at(i).join() === bad.join());
            const corner = at(map.width * Math.floor(map.height / 3) + map.width - 10);
            return [map.width, found.map((i) => [Math.floor(i / map.width), i % map.width]), corner];
        }""",
        [bad],
    )
    np.testing.assert_allclose(places, [[200 * size / 300, 100 * size / 300]], atol=1)
    assert corner == masked


def test_the_page_around_it_turns_dark(tmp_path, exported):
    page = exported(export(tmp_path, AttentionTrace(weights_of_setup(), tuple("wxyz"), tuple("abcde"))))
    paper = """() => {
        const canvas = document.querySelector(".attn-stage canvas");
        return [...canvas.getContext("2d").getImageData(1, 1, 1, 1).data];
    }"""
    assert page.evaluate(paper) == [255, 255, 255, 255]
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    expect(page.locator(".course-widget")).to_have_attribute("data-theme", "dark")
    assert page.evaluate(paper) == [*(int(DARK.paper[i : i + 2], 16) for i in (1, 3, 5)), 255]
