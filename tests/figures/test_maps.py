"""Pictures of maps: what is handed over is what is drawn, and the words come along."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from course_lib.figures import maps
from course_lib.figures.picture import Picture


@pytest.fixture
def drawn(monkeypatch):
    """The matplotlib figure of each picture that is made."""
    figures: list[Figure] = []

    def keep(figure, alt):
        figures.append(figure)
        return Picture(b"", alt)

    monkeypatch.setattr(maps.Picture, "of", keep)
    return figures


def test_each_map_is_drawn_with_its_name_and_its_marks(drawn):
    values = {"one": np.eye(3), "two": -np.ones((2, 4)), "three": np.zeros((2, 2))}
    picture = maps.maps_picture(values, "title", "words", signed=True, marks={"two": [(1, 3)]}, columns=2)
    assert picture.alt == "words"
    shown = [axes for axes in drawn[0].axes if axes.images]
    assert [axes.get_title(loc="center") for axes in shown] == list(values)
    for axes, (name, value) in zip(shown, values.items(), strict=True):
        (image,) = axes.images
        assert np.array_equal(image.get_array(), value)
        low, high = image.get_clim()
        assert low == -high  # 0 is the middle of the colours
        crosses = [points.get_offsets().tolist() for points in axes.collections]
        assert crosses == ([[[3, 1]]] if name == "two" else [])


def test_lines_lead_from_the_grid_to_where_the_taps_go(drawn):
    maps.sampling_picture(
        np.eye(5), {"grid": [(1, 1), (2, 3)], "moved": [(1.5, 0), (2, 4)]}, "title", "words"
    )
    (axes,) = drawn[0].axes
    assert [line.get_xydata().tolist() for line in axes.lines] == [[[1, 1], [0, 1.5]], [[3, 2], [4, 2]]]


def test_marked_numbers_have_another_colour(drawn):
    marked = np.zeros((2, 3, 4), bool)
    marked[0, 0, 0] = True
    maps.cubes_picture({"one": marked, "two": ~marked}, "title", "words")
    assert [axes.get_title(loc="center") for axes in drawn[0].axes] == ["one", "two"]
    blue = [  # faces, which are shaded by where they look
        sum(face[2] > face[0] + 0.1 for poly in axes.collections for face in poly.get_facecolor())
        for axes in drawn[0].axes
    ]
    assert blue[0] == 3 < blue[1]  # a corner shows three faces


def test_each_strip_is_dark_where_ink_is_under_its_own_text(drawn):
    strips = {"a $ b": np.eye(3, 9), "c": np.ones((2, 5))}
    picture = maps.strips_picture(strips, "title", "words")
    assert picture.alt == "words"
    for axes, (name, values) in zip(drawn[0].axes, strips.items(), strict=True):
        (image,) = axes.images
        assert np.array_equal(image.get_array(), values)
        paper, ink = image.get_cmap()([0.0, 1.0])[:, 0]
        assert ink < paper
        assert axes.get_title(loc="left") == name
