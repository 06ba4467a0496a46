"""What an output sees: the formula against gradients, and against inputs that are changed."""

import pytest
import torch
from torch import nn

from course_lib.vision import Geometry, measured_field, output_gradient, receptive_field_size


def network(layers):
    """Convolutions of one channel with weights of one: no gradient can cancel."""
    made = nn.Sequential(*(nn.Conv2d(1, 1, taps, *geometry[:3]) for taps, geometry in layers)).double()
    for weight in made.parameters():
        nn.init.ones_(weight)
    return made


DILATED = [(3, Geometry(padding=2**i, dilation=2**i)) for i in range(3)]


@pytest.mark.parametrize(
    ("layers", "size"),
    [
        (DILATED[:1], 3),
        (DILATED[:2], 7),
        (DILATED, 15),
        ([(3, Geometry(padding=1))] * 3, 7),
        ([(3, Geometry(2, 1)), (2, Geometry(2)), (3, Geometry(1, 1))], 3 + 2 + 8),
        ([(1, Geometry())], 1),
    ],
)
def test_the_field_is_a_square_of_the_size_of_the_formula(layers, size):
    assert receptive_field_size(layers) == size
    x = torch.rand(1, 1, 41, 41).double()
    net = network(layers)
    middle = net(x).shape[2] // 2
    field = measured_field(net, x, (middle, middle))
    rows, columns = field.nonzero().unbind(1)
    assert rows.max() - rows.min() + 1 == columns.max() - columns.min() + 1 == size
    if layers != [(3, Geometry(2, 1)), (2, Geometry(2)), (3, Geometry(1, 1))]:
        assert field.sum() == size**2  # no gaps


def test_as_many_parameters_and_a_larger_field():
    plain = [(3, Geometry(padding=1))] * 3
    count = [sum(p.numel() for p in network(layers).parameters()) for layers in (plain, DILATED)]
    assert count[0] == count[1]
    assert receptive_field_size(plain) < receptive_field_size(DILATED)


def test_a_pixel_outside_changes_nothing_and_one_inside_does():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 3, 3, padding=1)).double()
    x = torch.rand(1, 2, 9, 9).double()
    field = measured_field(net, x, (4, 5))
    before = net(x)[:, :, 4, 5]
    for y in range(9):
        for at in range(9):
            changed = x.clone()
            changed[:, :, y, at] += 1
            same = torch.equal(net(changed)[:, :, 4, 5], before)
            assert same or field[y, at]  # what the gradient calls unseen is unseen
    assert field[2:7, 3:8].all() and field.sum() == 25


def test_a_maximum_lets_through_one_of_its_window_and_several_pictures_show_the_whole():
    pool = nn.MaxPool2d(2)
    assert measured_field(pool, torch.rand(1, 1, 4, 4), (0, 1)).sum() == 1
    torch.manual_seed(0)
    many = measured_field(pool, torch.rand(64, 1, 4, 4), (0, 1))
    assert many.nonzero().tolist() == [[0, 2], [0, 3], [1, 2], [1, 3]]


def test_a_place_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"place\[1\] is 4; allowed is 0 to 3"):
        output_gradient(nn.Identity(), torch.rand(1, 1, 4, 4), (0, 4))
