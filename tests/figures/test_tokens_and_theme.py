"""How tokens, colours and pictures look everywhere."""

import base64
import io
import unicodedata
import warnings
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.figures import Picture, token_label
from course_lib.figures.theme import (
    DARK,
    DIFFERENCE_SCALE,
    LIGHT,
    OKABE_ITO,
    drawable,
    drawing,
    heading,
    ink_on,
)


@pytest.mark.parametrize(
    ("token", "label"),
    [
        *((same, same) for same in ("<s>", "</s>", "<b>x</b>", "<script>", "%{z}", "$x$", "&amp;", "▁the")),
        *((same, same) for same in ("Ġthe", "😀", "سلام", "👩\u200d👩\u200d👧", "é", "漢")),
        ("", "∅"),
        (" ", "␣"),
        (" a b", "␣a␣b"),
        ("\n", "⏎"),
        ("\t", "⇥"),
        ("\u202e", "⟨U+202E⟩"),
        ("\u200d", "⟨U+200D⟩"),
        ("\x00", "⟨U+0000⟩"),
        ("\xa0", "⟨U+00A0⟩"),
        ("\ud83d", "⟨U+D83D⟩"),
    ],
)
def test_token_label(token, label):
    assert token_label(token) == label


@settings(deadline=None)  # the machine may be busy
@given(st.text())
def test_nothing_is_invisible_or_lost(token):
    label = token_label(token)
    assert label.strip()
    visible = [c for c in token if unicodedata.category(c)[0] not in "CZ"]
    rest = iter(label)
    assert all(character in rest for character in visible)
    label.encode()


@pytest.mark.usefixtures("unchecked")
def test_token_must_be_text():
    with pytest.raises(TypeError, match="text must be a str, got bytes"):
        token_label(b"the")


def test_what_no_font_has_is_written_as_its_code_point():
    assert drawable("the\U000f0000") == "the⟨U+F0000⟩"
    assert drawable("<s> é ␣ ⏎") == "<s> é ␣ ⏎"


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("ink", ["ink", "muted", "accent", "good", "bad"])
@pytest.mark.parametrize("ground", ["paper", "panel"])
def test_text_has_contrast(theme, ink, ground):
    """WCAG 2.2, success criterion 1.4.3: at least 4.5 to 1."""
    low, high = sorted((luminance(getattr(theme, ink)), luminance(getattr(theme, ground))))
    assert (high + 0.05) / (low + 0.05) >= 4.5


@pytest.mark.parametrize("scale", ["cividis", "difference"])
def test_ink_stands_out_from_every_colour_of_a_scale(scale):
    """4.5 to 1 (WCAG 2.1, 1.4.3), by matplotlib's own colours and an own count of the contrast."""
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    difference = LinearSegmentedColormap.from_list("difference", DIFFERENCE_SCALE)
    colours = (colormaps["cividis"] if scale == "cividis" else difference)(np.linspace(0, 1, 256))[:, :3]
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    for colour, own in zip(colours, luminance, strict=True):
        contrast = (own + 0.05) / 0.05 if ink_on(colour.tolist()) == "black" else 1.05 / (own + 0.05)
        assert contrast >= 4.5


def test_a_long_title_takes_more_lines_and_squeezes_nothing():
    from matplotlib.figure import Figure

    def width_of_axes(title):
        figure = Figure(figsize=(6, 4), layout="constrained")
        axes = figure.subplots()
        heading(figure, title)
        figure.savefig(io.BytesIO(), format="png")
        box = figure._suptitle.get_window_extent()
        return axes.get_position().width, box.x1 / figure.bbox.width

    short, long = width_of_axes("Short"), width_of_axes("A title of a great many words " * 6)
    assert long[0] == pytest.approx(short[0], rel=0.02)
    assert long[1] <= 1.0


def test_okabe_ito_is_the_published_set():
    published = {"000000", "E69F00", "56B4E9", "009E73", "F0E442", "0072B2", "D55E00", "CC79A7"}
    assert {colour.removeprefix("#").upper() for colour in OKABE_ITO} == published


def test_drawing_gives_back_the_settings():
    import matplotlib

    before = dict(matplotlib.rcParams)
    with drawing(DARK):
        assert matplotlib.rcParams["figure.facecolor"] == DARK.paper
    assert dict(matplotlib.rcParams) == before


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))


@pytest.fixture
def figure():
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1))
    figure.add_axes((0, 0, 1, 1)).plot([0, 1])
    return figure


def test_picture_is_html_png_and_text(figure, tmp_path):
    alt = """<script>alert("1")</script> & 'x' <s> $x$"""
    picture = Picture.of(figure, alt)
    data, metadata = picture._repr_mimebundle_()
    assert set(data) == {"text/html", "image/png", "text/plain"}
    assert data["text/plain"] == alt
    assert metadata["image/png"]["alt"] == alt
    tags = Tags()
    tags.feed(data["text/html"])
    assert [tag for tag, _ in tags.seen] == ["figure", "img"]
    assert tags.seen[0][1]["role"] == "img"
    assert tags.seen[1][1]["alt"] == alt
    source = tags.seen[1][1]["src"].removeprefix("data:image/png;base64,")
    assert base64.b64decode(source) == base64.b64decode(data["image/png"]) == picture.png
    assert picture.save(tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_picture_needs_words(figure):
    with pytest.raises(ValueError, match="alt must say"):
        Picture.of(figure, " ")


def test_strange_text_is_drawn_without_a_warning(figure):
    """A warning on stderr would cost a student the points of the cell."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with drawing():
            figure.text(0.5, 0.5, drawable(token_label("$x 漢 \U000f0000 سلام 😀 \\frac{")))
            Picture.of(figure, "text")


@pytest.mark.parametrize(("inches", "scrolls"), [(8, False), (30, True)])
def test_a_very_wide_picture_is_scrolled_rather_than_shrunk_until_nobody_can_read_it(inches, scrolls):
    from matplotlib.figure import Figure

    html = Picture.of(Figure(figsize=(inches, 2)), "A picture").html()
    assert ("min-width:" in html) is scrolls
