from html.parser import HTMLParser

import pytest
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from course_lib.figures import Table


class Cells(HTMLParser):
    """What a reader of the rendered table sees: (tag, alignment, text) of each cell."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self.inside = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag in ("th", "td"):
            self.found.append((tag, dict(attrs).get("style", ""), ""))
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("th", "td")

    def handle_data(self, data):
        if self.inside:
            tag, style, text = self.found[-1]
            self.found[-1] = tag, style, text + data


def rendered(table: Table) -> list[tuple[str, str, str]]:
    return Cells(markdown2html_mistune(table.markdown())).found


def test_numbers_take_the_format_of_their_column_and_words_stay():
    table = Table(
        {"model": "", "size": ",", "share": ".0%"},
        [("RNN", 12345, 0.256), ("GPT", "about 3", None)],
        note="**One** seed.",
    )
    assert [text for *_, text in rendered(table)] == [
        *("model", "size", "share"),
        *("RNN", "12,345", "26%"),
        *("GPT", "about 3", "–"),
    ]
    assert "<strong>One</strong> seed." in markdown2html_mistune(table.markdown())


def test_every_sign_of_a_cell_reaches_the_reader():
    texts = ["log p / |y|", "<unk> & <b>", "$5 or $6", "two\nlines"]
    shown = [text for *_, text in rendered(Table({"$|<": ""}, [[text] for text in texts]))]
    assert shown == ["$|<", *(text.replace("\n", " ") for text in texts)]
    html = markdown2html_mistune(Table({"x": ""}, [["**bold** `code`"]]).markdown())
    assert "<strong>bold</strong> <code>code</code>" in html


def test_only_columns_of_numbers_stand_on_the_right_under_a_header():
    rows = [("**3**", "−1.5 ± 0.2", "7 heads", None), ("12", "+2", "most", 4.0)]
    cells = rendered(Table({"a": "", "b": "", "c": "", "d": ".0f"}, rows))
    assert [tag for tag, *_ in cells] == ["th"] * 4 + ["td"] * 8
    assert ["right" in style for _, style, _ in cells] == [True, True, False, True] * 3


def test_a_table_that_is_not_one_is_refused():
    with pytest.raises(ValueError, match="at least one title"):
        Table({}, [])
    with pytest.raises(ValueError, match=r"row \('b', 1\) has 2 cells for 1 columns"):
        Table({"a": ""}, [("a",), ("b", 1)])
    assert Table({"a": ""}, []).markdown() == "| a |\n| ---: |"


def test_rows_that_can_be_read_once_are_shown_each_time():
    rows = [("a", 1), ("b", 2)]
    table = Table({"x": "", "y": ""}, zip("ab", (1, 2), strict=True))
    for _ in range(2):
        assert table.markdown() == Table({"x": "", "y": ""}, rows).markdown()
