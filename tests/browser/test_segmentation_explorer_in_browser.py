"""The segmentation explorer as a reader meets it: live in JupyterLab, and in a file."""

import io
import json
import unicodedata
from xml.etree import ElementTree

import pytest
from parity import STRANGE, texts_and_merges

from course_lib.data import load_tatoeba
from course_lib.figures.segmentation import block_label
from course_lib.figures.theme import DARK
from course_lib.figures.tokens import token_label
from course_lib.text import BytePairEncoding
from course_lib.text.bpe import words
from course_lib.traces import SegmentationTrace
from course_lib.widgets import SegmentationExplorer
from course_lib.widgets.shared.base import pack

expect = pytest.importorskip("playwright.sync_api").expect

HUGS = BytePairEncoding("hugspnb", [("u", "g"), ("u", "n"), ("h", "ug"), ("▁", "hug")])


@pytest.fixture(scope="module")
def turkish():
    return BytePairEncoding.train([pair.target for pair in load_tatoeba("tur").train[:1500]], 400)


@pytest.fixture
def opened(tmp_path, exported, turkish):
    """Export an explorer of two encodings and open the page."""
    both = {"hugs": SegmentationTrace.of(HUGS), "Turkish": SegmentationTrace.of(turkish)}
    return lambda **choices: exported(
        SegmentationExplorer(both, **choices).export_html(tmp_path / "pieces.html")
    )


def canvas_of(page):
    return page.locator(".course-pieces-stage canvas")


def press(page, *keys):
    canvas_of(page).focus()
    for key in keys:
        page.keyboard.press(key)


READ = """(texts) => {
    const box = document.querySelector(".course-widget textarea");
    const details = document.querySelector(".course-widget details");
    details.open = true;
    const cells = (row) => [...row.cells].map((cell) => cell.textContent);
    const rows = (table) => [...table.tBodies[0].rows].map(cells);
    return texts.map((text) => {
        if (text !== null) {
            box.value = text;
            box.dispatchEvent(new Event("input", { bubbles: true }));
        }
        details.dispatchEvent(new Event("toggle"));
        const [pieces, steps] = [...details.querySelectorAll("table")].map(rows);
        return [pieces, steps ?? []];
    });
}"""


def type_texts(page, texts):
    """Put texts into the box as typing does, and return the tables of each: the pieces, and the steps."""
    return page.evaluate(READ, texts)


def tables(page):
    """The table of pieces, and that of steps, of what is shown."""
    return page.evaluate(READ, [None])[0]


def written(encoding, text):
    """What the table of pieces must hold: word, label, id."""
    cut = encoding.segment_words(text)
    ids = iter(encoding.encode(text))
    return [
        [str(place), block_label(piece), str(next(ids))]
        for place, word in enumerate(cut, 1)
        for piece in word
    ]


def steps_of(encoding, word):
    rows = [["0", "–", "–", " ".join(map(block_label, encoding.spell(word)))]]
    for place, (rank, pair, symbols) in enumerate(encoding.steps(word), 1):
        after = " ".join(map(block_label, symbols))
        rows.append([str(place), str(rank + 1), " + ".join(map(block_label, pair)), after])
    return rows


# ---- the same as in Python ---------------------------------------------------------------------------


@pytest.fixture
def module(watched):
    """The functions that cut text, without a widget around them."""
    page = watched()
    page.evaluate(
        """async (text) => {
            const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
            Object.assign(globalThis, await import(address));
        }""",
        SegmentationExplorer._esm,
    )
    return page


def test_any_text_has_the_ids_that_python_gives(module, turkish):
    """At any number of merges: whole words of Turkish, nasty strings, and strings made by chance."""
    cases = texts_and_merges(len(turkish.merges))
    fields, buffer = pack(SegmentationTrace.of(turkish))
    found = module.evaluate(
        """([fields, bytes, cases]) => {
            const { cut } = readEncoding(unpack(fields, Uint8Array.from(bytes)));
            const ids = (merges) => (word) => idsAfter(word, stepsWith(word, merges));
            return cases.map(([text, merges]) => cut(text).map(ids(merges)));
        }""",
        [fields, list(buffer), cases],
    )
    few = {merges: turkish.with_merges(merges) for _, merges in cases}
    for (text, merges), ids in zip(cases, found, strict=True):
        pieces = [[turkish.pieces[i] for i in word] for word in ids]
        assert pieces == few[merges].segment_words(text), (text, merges)
        assert [i for word in ids for i in word] == few[merges].encode(text)


def test_every_character_is_of_the_kind_that_python_takes_it_for(module):
    """A letter, a blank or a mark; shown as it is or by its code point. The rest is left out to save time."""
    codes = [*range(0x3400), *range(0xA000, 0xAC00), *range(0xFA00, 0x11000), *range(0x1F000, 0x1FB00)]
    known = [code for code in codes if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
    found = module.evaluate(
        """(codes) => {
            const letter = new RegExp(`^[${LETTER}]$`, "u");
            return codes.map((code) => {
                const character = String.fromCodePoint(code);
                const kind = letter.test(character) ? 1 : ONLY_BLANK.test(character) ? 2 : 0;
                return kind + 3 * (tokenLabel(character) !== character);
            });
        }""",
        known,
    )

    def kind(character):
        mark = unicodedata.category(character).startswith("M")
        letter = character.isalnum() or character == "_" or mark
        return (1 if letter else 2 if character.isspace() else 0) + 3 * (token_label(character) != character)

    wanted = [kind(chr(code)) for code in known]
    assert [f"{code:04X}" for code, one, two in zip(known, found, wanted, strict=True) if one != two] == []


def test_the_page_shows_what_python_cuts(opened, turkish):
    page = opened(encoding="Turkish", text="x")
    half = "a\\ud83d"  # of a character, as a keyboard may send it
    for text, (pieces, steps) in zip(STRANGE, type_texts(page, STRANGE), strict=True):
        assert [row[:3] for row in pieces] == written(turkish, text)
        assert steps == (steps_of(turkish, next(words(" " + text))) if text else [])
    assert page.locator(".course-widget :is(script, s, b)").count() == 0
    ((pieces, _),) = page.evaluate(f"({READ})(['{half}'])")
    assert [row[:3] for row in pieces] == written(turkish, "a\ufffd")
    page.get_by_label("Number of merges").fill("40")
    page.get_by_label("Number of merges").press("Enter")
    few, text = turkish.with_merges(40), STRANGE[-5]
    ((pieces, steps),) = type_texts(page, [text])
    assert [row[:3] for row in pieces] == written(few, text)
    assert steps == steps_of(few, " " + text.split()[0])


# ---- in a file ---------------------------------------------------------------------------------------


def pieces_shown(page):
    return [row[1] for row in tables(page)[0]]


def test_the_reader_watches_pieces_join(opened):
    page = opened(text="hugs pun", merges=0)
    assert pieces_shown(page) == [*"▁hugs", *"▁pun"]
    merges = page.get_by_label("Number of merges")
    for count, shown in (
        (1, ["▁", "h", "ug", "s", *"▁pun"]),
        (2, ["▁", "h", "ug", "s", "▁", "p", "un"]),
        (3, ["▁", "hug", "s", "▁", "p", "un"]),
        (4, ["▁hug", "s", "▁", "p", "un"]),
    ):
        page.get_by_role("button", name="More merges").click()
        assert (merges.input_value(), pieces_shown(page)) == (str(count), shown)
    expect(page.get_by_role("button", name="More merges")).to_be_disabled()
    press(page, "-", "-")
    assert merges.input_value() == "2"
    press(page, "+")
    assert merges.input_value() == "3"
    slider = page.get_by_role("slider", name="Merges")
    slider.focus()
    page.keyboard.press("Home")
    assert (merges.input_value(), slider.get_attribute("aria-valuetext")) == ("0", "none of 4 merges")
    page.keyboard.press("ArrowRight")  # many places of the slider mean 0: a step must still lead on
    assert merges.input_value() == "1"
    page.keyboard.press("ArrowLeft")
    assert merges.input_value() == "0"
    page.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext") == "all 4 merges"
    merges.fill("99")
    merges.press("Enter")
    assert merges.input_value() == "4"
    # Merges that change nothing here are leapt over, and what cannot be joined or undone is not offered.
    type_texts(page, ["pun"])
    press(page, "-")
    assert merges.input_value() == "1"
    expect(page.get_by_role("button", name="Fewer merges")).to_be_disabled()
    page.get_by_role("button", name="More merges").click()
    assert merges.input_value() == "2"
    expect(page.get_by_role("button", name="More merges")).to_be_disabled()


def test_one_word_is_replayed(opened):
    page = opened(text="pun hugs")
    readout = page.locator(".course-pieces-readout")
    press(page, "ArrowRight")
    expect(readout).to_have_text(
        f"Word 2 of 2: ▁hug ({HUGS.encode('hug')[0]}) · s ({HUGS.encode('s')[1]}). "
        "Step 3 of 3: merge 4 joins ▁ + hug."
    )
    page.get_by_role("button", name="The word before any merge").click()
    assert tables(page)[1] == steps_of(HUGS, " hugs")[:1]
    press(page, "ArrowDown", "ArrowDown")
    expect(readout).to_contain_text("Step 2 of 3: merge 3 joins h + ug.")
    assert tables(page)[1] == steps_of(HUGS, " hugs")[:3]
    press(page, "ArrowUp")
    expect(readout).to_contain_text("Step 1 of 3: merge 1 joins u + g.")
    page.get_by_role("button", name="All steps of the word").click()
    assert tables(page)[1] == steps_of(HUGS, " hugs")
    press(page, "Home", "ArrowLeft")
    expect(readout).to_contain_text("Word 1 of 2")
    press(page, "End", "ArrowRight")
    expect(readout).to_contain_text("Word 2 of 2")


def test_the_mouse_reads_a_piece_and_chooses_a_word(opened):
    page = opened(text="pé hugs")
    places = json.loads(canvas_of(page).get_attribute("data-places"))
    assert len(places) == len(HUGS.encode("pé hugs"))

    def middle(place):
        x, y, width, height = places[place]
        return {"x": x + width / 2, "y": y + height / 2}

    readout = page.locator(".course-pieces-readout")
    canvas_of(page).hover(position=middle(3))
    expect(readout).to_have_text(f"Piece 4 of 6: “0xA9”, id {3 + 0xA9}, byte 2 of 2 of “é”")
    canvas_of(page).hover(position=middle(4))
    expect(readout).to_have_text(f"Piece 5 of 6: “▁hug”, id {HUGS.encode('hug')[0]}, joined by merge 4")
    canvas_of(page).click(position=middle(5))
    page.mouse.move(0, 0)
    expect(readout).to_contain_text("Word 2 of 2")


def test_counts_of_every_encoding_stand_beside(opened, turkish):
    page = opened(text="hugs, hug", encoding="Turkish", merges=3)
    rows = page.locator(".course-pieces-counts tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    few = turkish.with_merges(3)
    # ▁ hug s , ▁ hug are six pieces; of nine characters; for three words and marks
    assert rows[0] == ["hugs", "3", str(len(HUGS.with_merges(3))), "6", "2.00", "1.50"]
    pieces = len(few.encode("hugs, hug"))
    assert rows[1][:5] == ["Turkish", "3", str(len(few)), str(pieces), f"{pieces / 3:.2f}"]
    assert rows[2] == ["bytes alone", "–", "256", "9", "3.00", "1.00"]
    page.get_by_label("Learned from").select_option("hugs")
    assert pieces_shown(page) == ["▁", "hug", "s", "0x2C", "▁", "hug"]


def test_dark_and_large_and_nothing_typed_yet(opened):
    page = opened()
    expect(page.locator(".course-pieces-readout")).to_have_text("Type a text: each block will be a piece.")
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("button", name="Large type").click()
    widget = page.locator(".course-widget")
    look = "element => [getComputedStyle(element).backgroundColor, getComputedStyle(element).fontSize]"
    assert widget.evaluate(look) == ["rgb(20, 24, 29)", "21px"]
    corner = "canvas => [...canvas.getContext('2d').getImageData(1, 1, 1, 1).data].slice(0, 3)"
    assert canvas_of(page).evaluate(corner) == [int(DARK.paper[i : i + 2], 16) for i in (1, 3, 5)]


def test_what_is_shown_can_be_saved(tmp_path, exported, opened, save):
    page = opened(text="hugs é", merges=3)
    press(page, "ArrowRight")
    type_texts(page, ["<s> hugs"])

    assert save(page, "PNG").startswith(b"\x89PNG")
    svg = ElementTree.parse(io.BytesIO(save(page, "SVG"))).getroot()
    name = "{http://www.w3.org/2000/svg}"
    shown = [text.text for text in svg.iter(f"{name}text")]
    assert shown[:2] == ["7 pieces for 4 words and marks, 1.75 each", "hugs: the first 3 of 4 merges"]
    assert shown[2:9] == ["▁", "0x3C", "s", "0x3E", "▁", "hug", "s"]
    assert "▁|0x3C s 0x3E ▁|hug|s" in svg.find(f"{name}desc").text
    copy = tmp_path / "copy.html"
    copy.write_bytes(save(page, "HTML"))
    page = exported(copy)
    expect(page.get_by_label("Text to cut")).to_have_value("<s> hugs")
    assert "▁|0x3C s 0x3E ▁|hug|s" in page.locator("noscript").text_content()


# ---- live in JupyterLab ------------------------------------------------------------------------------


def test_typing_and_choosing_in_a_notebook(notebook, run_code):
    setup = """
from course_lib.text import BytePairEncoding
from course_lib.traces import SegmentationTrace
from course_lib.widgets import SegmentationExplorer
hugs = BytePairEncoding("hugspnb", [("u", "g"), ("u", "n"), ("h", "ug"), ("▁", "hug")])
widget = SegmentationExplorer({"hugs": SegmentationTrace.of(hugs)}, text="p")
widget
"""
    page = notebook("pieces", [setup, "pass"])
    box = page.get_by_label("Text to cut")
    box.click()
    page.keyboard.press("End")
    page.keyboard.type("un a")
    page.keyboard.press("Enter")  # a new line, not a command of Lab's
    page.keyboard.type("hugs")
    assert pieces_shown(page) == ["▁", "p", "un", "▁", "0x61", "0x0A", "hug", "s"]
    press(page, "End", "ArrowUp")
    told = run_code(
        page,
        "print([widget.view[name] for name in ('text', 'word', 'step')])\n"
        "widget.select(text='hug', merges=1)",
    )
    assert "['pun a\\nhugs', 3, 1]" in told
    expect(box).to_have_value("hug")
    assert pieces_shown(page) == ["▁", "h", "ug"]
