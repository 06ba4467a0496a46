import numpy as np
import pytest
from matplotlib.figure import Figure

from course_lib.figures.similarity import draw_similarity


def test_every_word_has_its_row_and_column_on_a_scale_that_stays():
    cosines = np.array([[1, 0.5, -0.2], [0.5, 1, 0.1], [-0.2, 0.1, 1]])
    figure = Figure()
    axes = figure.subplots()
    draw_similarity(axes, ["a_b", "$c$", "d"], cosines)
    (image,) = axes.images
    np.testing.assert_array_equal(image.get_array(), cosines)
    assert image.get_clim() == (0, 1)  # also where no word is like another: pictures can be compared
    for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
        assert [label.get_text().replace("\\", "") for label in labels] == ["a_b", "$c$", "d"]


def test_a_matrix_of_other_words_is_refused():
    with pytest.raises(ValueError, match=r"cosines have shape \(3, 3\) for 2 words"):
        draw_similarity(Figure().subplots(), ["a", "b"], np.eye(3))
