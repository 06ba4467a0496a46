"""Gold links on a map of attention, and dots with intervals, read back from the matplotlib figures."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_lib.figures import picture
from course_lib.figures.alignment import alignment_picture, interval_picture
from course_lib.seq2seq.alignment import WordAlignment

ALIGNMENT = WordAlignment(
    target=("robes", "bleues", "<b>$x$"),
    source=("blue", "dresses", "</s>"),
    weights=np.array([[0.3, 0.6, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]),
)


@pytest.fixture
def drawn(monkeypatch):
    figures: list[Figure] = []
    of = picture.Picture.of
    monkeypatch.setattr(picture.Picture, "of", lambda figure, alt: figures.append(figure) or of(figure, alt))
    return figures


def test_frames_stand_where_the_links_are(drawn):
    alignment_picture(ALIGNMENT, {(0, 1), (1, 0)}, {(2, 1)}, "Links")
    frames = [p for p in drawn[0].axes[0].patches if isinstance(p, Rectangle) and not p.get_fill()]
    centres = {
        (round(frame.get_y() + frame.get_height() / 2), round(frame.get_x() + frame.get_width() / 2)): frame
        for frame in frames
    }
    assert set(centres) == {(0, 1), (1, 0), (2, 1)}
    assert centres[0, 1].get_linestyle() == centres[1, 0].get_linestyle() != centres[2, 1].get_linestyle()


def test_each_row_says_whether_its_peak_is_in_a_frame(drawn):
    shown = alignment_picture(ALIGNMENT, {(0, 1), (1, 0)}, {(2, 2)}, "Links")
    labels = [label.get_text() for label in drawn[0].axes[0].get_yticklabels()]
    assert [label.split()[-1] for label in labels] == ["✓", "✗", "✓"] and labels[0].startswith("robes")
    assert "robes looks most at dresses ✓; bleues looks most at dresses ✗" in shown.alt


def test_dots_and_intervals_are_the_values(drawn):
    series = {
        "one": {"noun": (0.2, 0.1, 0.4), "verb": (0.5, 0.45, 0.6)},
        "two": {"verb": (0.3, 0.2, 0.35), "noun": (0.1, 0.0, 0.2)},
    }
    interval_picture(series, "Answer", "error rate", "alt")
    axes = drawn[0].axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["noun", "verb"]
    for container, values in zip(axes.containers, series.values(), strict=True):
        dots, _, (lines,) = container.lines
        found = {
            ("noun", "verb")[round(y)]: (x, *sorted(segment[:, 0]))
            for x, y, segment in zip(dots.get_xdata(), dots.get_ydata(), lines.get_segments(), strict=True)
        }
        assert found.keys() == values.keys()
        for row in values:
            np.testing.assert_allclose(found[row], values[row])
    assert len({container.lines[0].get_marker() for container in axes.containers}) == 2


def test_too_many_series_are_refused():
    with pytest.raises(ValueError, match="series has 0 entries"):
        interval_picture({}, "t", "x", "alt")
