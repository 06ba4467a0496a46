import ast
import inspect
import re

import torch

from course_lib.figures import show_source
from course_lib.figures.source import what_is_computed
from course_lib.memory import hopfield
from course_lib.memory.hopfield import recall, store

WRITTEN = '''
    @decorated
    def double(number, others):
        """Return twice a number.

        Raises:
            ValueError: it is odd.
        """
        names = {"number": number}
        for name, value in names.items():
            if value % 2:
                raise ValueError(name)
        check_numbers(others)
        if number == 0:
            return 0  # nothing to do
        if others:
            raise ValueError("others")
        else:
            number += 1
        text = "a # b"
        return 2 * number, text
'''
COMPUTED = """
@decorated
def double(number, others):
    if number == 0:
        return 0  # nothing to do
    if others:
        raise ValueError("others")
    else:
        number += 1
    text = "a # b"
    return 2 * number, text
"""


def test_docstrings_and_checks_are_left_out_and_all_else_stays():
    assert what_is_computed(WRITTEN).strip() == COMPUTED.strip()


def test_a_class_loses_the_docstrings_of_its_methods_too():
    class Kept:
        """Of the class."""

        size = 3  # read from outside

        def none(self):
            """Only this is written here."""

        def one(self):
            """Of the method."""
            return 1

    shown = what_is_computed(inspect.getsource(Kept))
    assert "Of the" not in shown
    assert shown.splitlines()[:2] == ["class Kept:", "    size = 3  # read from outside"]
    assert "Only this is written here." in shown  # a body needs a statement


def test_several_things_stand_one_below_the_other():
    shown = show_source(store, recall).data
    assert [part.name for part in ast.parse(shown).body] == ["store", "recall"]


def test_what_is_shown_runs_and_computes_the_same():
    shown = dict(vars(hopfield))
    exec(show_source(store, recall).data, shown)
    patterns = torch.randint(2, (2, 20), generator=torch.Generator().manual_seed(0)).double() * 2 - 1
    assert torch.equal(shown["store"](patterns), store(patterns))
    ways = [
        run(store(patterns), -patterns[0].roll(1), torch.Generator().manual_seed(1))
        for run in (shown["recall"], recall)
    ]
    assert ways[0].turned == ways[1].turned and ways[0].turned


def test_the_words_of_the_source_stand_out_from_its_own_paper():
    """4.5 to 1 on the paper that the source brings along, whatever the page around it is."""
    html = show_source(recall, store)._repr_html_()
    (paper,) = re.findall(r"<pre style=.background: (#\w{6}); color: #\w{6};", html)
    colours = set(re.findall(r"[\"; ]color: (#\w{6})", html))
    assert len(colours) >= 4

    def luminance(colour):
        parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    for colour in colours - {"#bbbbbb", "#BBBBBB"}:  # of white space
        assert (luminance(paper) + 0.05) / (luminance(colour) + 0.05) >= 4.5, colour
