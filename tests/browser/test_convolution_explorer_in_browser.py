"""The convolution explorer as a reader meets it: in a file, by keys and by mouse, and live in JupyterLab."""

import io
import json

import matplotlib
import numpy as np
import pytest
from PIL import Image

from course_lib.traces import ConvolutionTrace
from course_lib.widgets import ConvolutionExplorer

expect = pytest.importorskip("playwright.sync_api").expect


def make():
    """The pixel in row y, column x is 10 y + x; the kernels hand the first, the last pixel through."""
    picture = 10 * np.arange(10)[:, None] + np.arange(10)
    first, last = np.zeros((2, 3, 3))
    first[0, 0] = last[2, 2] = 1
    names = ("<b>first</b>", "last")
    return ConvolutionTrace(
        np.stack([picture, -picture]), ("numbers", "negative"), np.stack([first, last]), names
    )


@pytest.fixture
def opened(tmp_path, exported):
    """Export an explorer and open the page."""
    return lambda **choices: exported(
        ConvolutionExplorer(make(), **choices).export_html(tmp_path / "page.html")
    )


def canvas_of(page):
    return page.locator(".convolution-stage canvas")


def press(page, *keys):
    canvas_of(page).focus()
    for key in keys:
        page.keyboard.press(key)


def said(page):
    return page.locator(".convolution-readout").inner_text()


def test_keys_move_the_output_and_change_the_geometry(opened):
    page = opened(padding=0, row=0, column=0)
    assert said(page) == "Output row 1, column 1 of 8 × 8: 0. It sees rows 1 to 3, columns 1 to 3."
    press(page, "ArrowDown", "ArrowRight", "ArrowRight")
    assert said(page).startswith("Output row 2, column 3 of 8 × 8: 12. It sees rows 2 to 4, columns 3 to 5.")
    press(page, "k")
    assert said(page).startswith("Output row 2, column 3 of 8 × 8: 34.")
    press(page, "i", "d")
    assert said(page) == "Output row 2, column 3 of 6 × 6: −56. It sees rows 2 to 6, columns 3 to 7."
    press(page, "s", "End")
    assert said(page) == "Output row 2, column 3 of 3 × 3: −68. It sees rows 3 to 7, columns 5 to 9."
    press(page, "D", "S", "p", "Home", "ArrowUp")
    rim = "It sees rows 0 to 2, columns 0 to 2; 5 of 9 taps lie in the padding."
    assert said(page) == f"Output row 1, column 1 of 10 × 10: −11. {rim}"
    assert page.get_by_label("Padding", exact=True).input_value() == "1"


def test_a_turned_kernel_sees_between_the_pixels(opened):
    page = opened(padding=0, row=3, column=3)
    press(page, "t", "t", "t", "t", "t", "t")  # to 90°: its first tap comes to the right above
    assert said(page) == "Output row 4, column 4 of 8 × 8: 35. It sees rows 4 to 6, columns 4 to 6."
    assert page.get_by_label("Turn", exact=True).input_value() == "6"
    press(page, "T", "T", "T")  # 45°: 1 above the middle at (4, 4), times √2
    assert said(page).startswith(
        "Output row 4, column 4 of 8 × 8: 29.9. It sees rows 3 to 7, columns 3 to 7."
    )
    assert "turned by 45°" in canvas_of(page).get_attribute("aria-label")


def test_the_mouse_looks_and_a_click_keeps(opened):
    page = opened(padding=0, row=0, column=0)
    at = json.loads(canvas_of(page).get_attribute("data-places"))
    where = {"x": at["outputLeft"] + 5.5 * at["cell"], "y": at["outputTop"] + 2.5 * at["cell"]}
    canvas_of(page).hover(position=where)
    assert said(page).startswith("Output row 3, column 6 of 8 × 8: 25.")
    canvas_of(page).hover(position={"x": 2, "y": 2})
    assert said(page).startswith("Output row 1, column 1")
    canvas_of(page).click(position=where)
    canvas_of(page).hover(position={"x": 2, "y": 2})
    assert said(page).startswith("Output row 3, column 6")


def test_taps_are_framed_and_outputs_coloured(opened):
    page = opened(padding=0, row=0, column=0)
    at = json.loads(canvas_of(page).get_attribute("data-places"))
    shot = matplotlib.image.imread(io.BytesIO(canvas_of(page).screenshot()))[..., :3]

    def colour(left, top, row, column):
        return shot[int(top + (row + 0.5) * at["cell"]), int(left + (column + 0.5) * at["cell"])]

    low, high = colour(0, at["top"], 0, 9), colour(0, at["top"], 9, 9)
    assert low.max() < high.min()  # grey grows with the number
    strong = colour(at["outputLeft"], at["outputTop"], 7, 7)
    assert strong[1] > strong[0] + 0.2 and strong[1] > strong[2] + 0.2  # green: above 0
    press(page, "i")
    shot = matplotlib.image.imread(io.BytesIO(canvas_of(page).screenshot()))[..., :3]
    strong = colour(at["outputLeft"], at["outputTop"], 7, 7)
    assert strong[2] > strong[1] + 0.2  # purple: below 0


def test_the_table_holds_the_terms(opened):
    page = opened(row=0, column=0)
    page.locator("details summary").click()
    rows = page.locator("details tbody tr")
    expect(rows).to_have_count(9)
    assert rows.nth(0).inner_text().split() == ["1", "padding", "padding", "0", "1", "0"]
    assert rows.nth(8).inner_text().split() == ["9", "2", "2", "11", "0", "0"]
    assert page.locator("option", has_text="<b>first</b>").count() == 1


def photograph(folder):
    """Wider than high; in the middle square each 2 by 2 pixels are 10 y + x of 255, the first see-through."""
    grey = (10 * np.arange(10)[:, None] + np.arange(10)).astype(np.uint8).repeat(2, 0).repeat(2, 1)
    pixels = np.full((20, 30, 4), 255, np.uint8)
    pixels[:, 5:25, :3] = grey[..., None]
    pixels[:2, 5:7] = 0
    Image.fromarray(pixels).save(folder / "<b>mine.png")
    return folder / "<b>mine.png"


def test_a_file_of_the_reader_is_shown_and_saved(opened, exported, save, tmp_path):
    page = opened(padding=0, row=2, column=3)
    page.on("filechooser", lambda _: None)  # asked for now, it is caught for sure when the key comes
    page.get_by_label("Picture", exact=True).focus()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Your own picture")).to_be_focused()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Space")
    chooser.value.set_files(photograph(tmp_path))
    readout = page.locator(".convolution-readout")
    expect(readout).to_contain_text("Output row 3, column 4 of 8 × 8: 0.0902.")  # 23 of 255
    press(page, "Home", "ArrowUp", "ArrowUp")
    assert said(page).startswith("Output row 1, column 1 of 8 × 8: 1.")  # see-through, on white
    pictures = page.get_by_label("Picture", exact=True)
    assert pictures.locator("option").all_inner_texts() == ["numbers", "negative", "<b>mine.png"]
    (tmp_path / "again.html").write_bytes(save(page, "HTML"))
    press(page, "i", "ArrowRight")
    assert said(page).startswith("Output row 1, column 2 of 8 × 8: 1. ")  # of the numbers
    pictures.select_option("<b>mine.png")
    assert said(page).startswith("Output row 1, column 2 of 8 × 8: 0.00392.")
    again = exported(tmp_path / "again.html")
    assert again.get_by_label("Picture", exact=True).locator("option:checked").inner_text() == "<b>mine.png"
    assert said(again).startswith("Output row 1, column 1 of 8 × 8: 1.")


def test_a_file_that_is_no_picture_or_too_large_is_refused(opened, tmp_path):
    page = opened(padding=0, row=0, column=1)
    chosen, wrong = page.get_by_label("Your own picture"), page.get_by_role("alert")
    Image.new("1", (5001, 5001)).save(tmp_path / "huge.png")
    (tmp_path / "words.png").write_text("no picture")
    (tmp_path / "long.png").write_bytes(bytes(20_100_000))
    for name, message in (
        ("words.png", "“words.png” is no picture that can be read; allowed are PNG, JPEG and WebP."),
        ("long.png", "“long.png” is too large, 20.1 megabytes; allowed are 20."),
        ("huge.png", "“huge.png” is too large, 5001 × 5001 pixels; allowed are 25 million."),
    ):
        chosen.set_input_files(tmp_path / name)
        expect(wrong).to_have_text(message)
        assert said(page).startswith("Output row 1, column 2 of 8 × 8: 1. ")
    chosen.set_input_files(photograph(tmp_path))
    expect(wrong).to_have_text("")
    assert page.get_by_label("Picture", exact=True).locator("option:checked").inner_text() == "<b>mine.png"


def test_a_choice_of_the_kernel_arrives(notebook, tmp_path):
    page = notebook(
        "convolution",
        [
            "import numpy as np\n"
            "from course_lib.traces import ConvolutionTrace\n"
            "from course_lib.widgets import ConvolutionExplorer\n"
            "trace = ConvolutionTrace(np.ones((1, 9, 9)), ('ones',), np.ones((1, 3, 3)), ('sum',))\n"
            "shown = ConvolutionExplorer(trace, padding=0)\nshown",
            "shown.select(stride=2, row=1, column=1)",
        ],
    )
    readout = page.locator(".convolution-readout")
    expect(readout).to_have_text("Output row 2, column 2 of 4 × 4: 9. It sees rows 3 to 5, columns 3 to 5.")
    page.get_by_label("Your own picture").set_input_files(photograph(tmp_path))
    expect(readout).to_contain_text("Output row 2, column 2 of 4 × 4: ")
    expect(readout).not_to_contain_text(": 9. ")
