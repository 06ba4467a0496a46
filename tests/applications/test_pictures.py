"""What small networks saw, as maps for an overlay."""

import numpy as np
import pytest
import torch

from course_lib.applications.pictures import explain_pictures, load_picture_network
from course_lib.vision import GlobalPoolingNetwork, data_gradient, enlarged, explain


@pytest.fixture
def network():
    torch.manual_seed(0)
    return GlobalPoolingNetwork((4, 6), 3).eval()


def test_each_picture_and_class_has_its_own_maps(network):
    pixels = torch.rand(2, 1, 112, 112)
    trace = explain_pictures(network, pixels, ("one", "two"), ({"a": 0, "b": 2}, {"c": 1, "a": 0}))
    assert trace.kinds == ("saliency", "CAM", "Grad-CAM", "Grad-CAM++")
    assert trace.steps == (("a", "b"), ("c", "a")) and trace.maps.shape == (2, 2, 4, 56, 56)
    np.testing.assert_array_equal(trace.pictures[1, ..., 2], (255 * pixels[1, 0]).round().byte())
    expected = enlarged(explain(network, pixels[1:], torch.tensor([1]), "Grad-CAM++"), (56, 56))
    np.testing.assert_allclose(trace.maps[1, 0, 3], expected[0], atol=1e-6)


def test_saliency_keeps_the_largest_of_each_cell(network):
    pixels = torch.rand(1, 1, 112, 112)
    shown = explain_pictures(network, pixels, ("one",), ({"b": 2},)).maps[0, 0, 0]
    gradient = data_gradient(network, pixels, torch.tensor([2]))[0, 0].abs()
    cells = gradient.reshape(56, 2, 56, 2).amax(dim=(1, 3))
    np.testing.assert_allclose(shown, cells / cells.max(), atol=1e-6)


@pytest.mark.usefixtures("unchecked")
def test_a_network_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="name is 'cats'; allowed are 'clothes_on_scenes', 'digits'"):
        load_picture_network("cats")


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("pixels", "said"),
    [
        (torch.rand(2, 3, 28, 28), r"pixels must be \(pictures, 1, height, width\), got \(2, 3, 28, 28\)"),
        (255 * torch.ones(2, 1, 28, 28), "pixels must lie between 0 and 1, got 255 to 255"),
        (torch.full((2, 1, 28, 28), torch.nan), "pixels must lie between 0 and 1, got nan"),
    ],
)
def test_pictures_of_another_range_or_in_colour_are_refused(network, pixels, said):
    with pytest.raises(ValueError, match=said):
        network(pixels)
    with pytest.raises(ValueError, match=said):
        explain(network, pixels, torch.tensor([0, 1]))


@pytest.mark.parametrize(
    ("pixels", "classes", "said"),
    [
        (255 * torch.ones(1, 1, 56, 56), [{"a": 0}], "pixels must lie between 0 and 1"),
        (torch.rand(1, 1, 28, 28), [{"a": 0}], r"sides are \(28, 28\); allowed are 56 and more"),
        (torch.rand(1, 1, 56, 56), [{}], r"have \[0\] classes; allowed is 1 or more"),
        (torch.rand(2, 1, 56, 56), [{"a": 0}, {"a": 0, "b": 1}], r"have \[1, 2\] classes"),
        (torch.rand(1, 1, 56, 56), [{"a": 3}], "numbers from 0 to 2"),
    ],
)
def test_what_can_not_be_explained_is_named(network, pixels, classes, said):
    with pytest.raises(ValueError, match=said):
        explain_pictures(network, pixels, ["one"] * len(pixels), classes)
