import numpy as np
import pytest
from matplotlib.figure import Figure

from course_lib.figures.counters import COLOURS, draw_best_units, static_counters


def test_the_units_that_follow_a_counter_stand_out():
    held = np.arange(24.0).reshape(6, 4)
    figure = static_counters(
        {"LSTM": (held, [(1, 0.5), (3, -1.0)]), "GRU": (-held, [(0, 0.0)])}, "abc", "Who counts?"
    )
    first, second = figure.axes
    for axes, count in ((first, 2), (second, 1)):
        lines = [line for line in axes.lines if line.get_color() in COLOURS]
        assert len(lines) == count
    np.testing.assert_array_equal(first.lines[4].get_ydata(), held[:, 1])
    np.testing.assert_array_equal(first.lines[5].get_ydata(), held[:, 3])
    assert [text.get_text() for text in first.get_legend().texts] == ["unit 1\n+0.50", "unit 3\n-1.00"]
    assert first.get_title(loc="left") == "LSTM: 2 a, then 2 b, then 2 c"
    assert [line.get_xdata()[0] for line in first.lines[6:]] == [1.5, 3.5]  # where the letter changes


def test_units_of_any_size_are_compared_with_the_count():
    axes = Figure().subplots()
    draw_best_units(axes, {"LSTM": np.array([2.0, 4, 2, 0]), "GRU": np.array([0.25, 0.5, 0.5, 0.25])}, 2)
    count, lstm, gru = (line.get_ydata() for line in axes.lines[:3])
    assert count == pytest.approx([0.5, 1, 0.5, 0])
    assert lstm == pytest.approx(count)
    assert gru == pytest.approx([0.5, 1, 1, 0.5])
    assert [text.get_text() for text in axes.get_legend().texts][1:] == [
        "LSTM, largest 4.0",
        "GRU, largest 0.5",
    ]
