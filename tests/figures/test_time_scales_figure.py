import numpy as np
import pytest

from course_lib.figures.time_scales import static_films, static_influence, static_taps, static_turns


def test_what_is_exactly_zero_is_hatched_and_nothing_else():
    influence = np.tril(np.full((3, 3), 0.5))
    influence[2, 0] = 1e-30  # tiny is not zero
    axes, _ = static_influence(influence, "$x$").axes
    hatched, shown = axes.collections
    assert hatched.get_hatch() == "///"
    assert hatched.get_array().count() == 3 and shown.get_array().count() == 6
    assert shown.norm.vmin == pytest.approx(0.5e-6)  # one tiny number does not take the whole scale
    assert axes.get_title(loc="left") == "$x$"
    for wrong in (np.zeros((2, 2)), -np.ones((2, 2)), np.ones(3)):
        with pytest.raises(ValueError, match="influence must be a matrix"):
            static_influence(wrong, "x")


@pytest.mark.parametrize(("dilations", "kernel"), [([1, 1, 2, 2], 2), ([1, 2, 4], 3)])
def test_the_taps_reach_the_receptive_field_and_no_further(dilations, kernel):
    (axes,) = static_taps(dilations, kernel, "reach").axes
    field = 1 + (kernel - 1) * sum(dilations)
    everywhere, reached = axes.collections[-2:]  # the row of inputs is drawn last
    assert everywhere.get_offsets()[:, 0].tolist() == list(range(1, field + 1))
    paths = {0}
    for dilation in dilations:
        paths = {back + tap * dilation for back in paths for tap in range(kernel)}
    assert reached.get_offsets()[:, 0].tolist() == sorted(field - back for back in paths)


def test_turns_are_marked_where_a_group_moved():
    moved = np.array([[True, True, True], [True, False, True]])
    (axes,) = static_turns(moved, "clocks").axes
    assert [line.get_xdata().tolist() for line in axes.lines] == [[0, 1, 2], [0, 2]]


def test_films_keep_their_frames_and_scale():
    film = np.linspace(0, 0.4, 8).reshape(2, 2, 2)
    figure = static_films({"true": film, "told": 1 - film}, 7, "films")
    images = [axes.images[0] for axes in figure.axes]
    np.testing.assert_array_equal(images[3].get_array(), 1 - film[1])
    assert {image.get_clim() for image in images} == {(0, 1)}
    assert [axes.get_title(loc="center") for axes in figure.axes[:2]] == ["frame 7", "frame 8"]
    with pytest.raises(ValueError, match=r"films have \[1, 2\] frames"):
        static_films({"a": film, "b": film[:1]}, 1, "x")
    with pytest.raises(ValueError, match=r"films have \[\] frames"):
        static_films({}, 1, "x")
