"""The four normalisations: each against its layer in torch, trained and used; means by loops."""

import pytest
import torch
from torch import nn

from course_lib.vision import Normalisation, Statistics, normalise, shared_with_first

EXACT = {"rtol": 0, "atol": 1e-10}
CHANNELS, PLACES = 6, (5, 4)


def theirs(kind):
    return {
        "batch": nn.BatchNorm2d(CHANNELS),
        "layer": nn.LayerNorm((CHANNELS, *PLACES)),
        "instance": nn.InstanceNorm2d(CHANNELS, affine=True),
        "group": nn.GroupNorm(3, CHANNELS),
    }[kind].double()


def pair(kind):
    """Our layer and torch's, with the same scale and shift."""
    torch.manual_seed(0)
    ours, other = Normalisation(kind, CHANNELS, groups=3).double(), theirs(kind)
    with torch.no_grad():
        for name in ("weight", "bias"):
            mine, its = getattr(ours, name), getattr(other, name)
            mine.copy_(torch.randn(CHANNELS))
            its.copy_(mine if its.ndim == 1 else mine[:, None, None].expand_as(its))
    return ours, other


def batches(count=4):
    torch.manual_seed(1)
    return [3 + 2 * torch.randn(3, CHANNELS, *PLACES).double() for _ in range(count)]


@pytest.mark.parametrize("kind", ["batch", "layer", "instance", "group"])
def test_equals_torch_in_training_and_afterwards_outputs_and_gradients(kind):
    ours, other = pair(kind)
    for mode in (True, False):
        ours.train(mode), other.train(mode)
        for x in batches():
            mine, its = x.clone().requires_grad_(), x.clone().requires_grad_()
            found, expected = ours(mine), other(its)
            torch.testing.assert_close(found, expected, **EXACT)
            g = torch.randn_like(found)
            found.backward(g)
            expected.backward(g)
            torch.testing.assert_close(mine.grad, its.grad, **EXACT)


def test_the_running_statistics_are_those_of_torch_and_stay_when_used():
    ours, other = pair("batch")
    for x in batches():
        ours(x), other(x)
    torch.testing.assert_close(ours.running_mean, other.running_mean, **EXACT)
    torch.testing.assert_close(ours.running_variance, other.running_var, **EXACT)
    before = ours.running_mean.clone()
    ours.eval()(batches()[0] + 100)
    assert torch.equal(ours.running_mean, before)


def test_only_batch_normalisation_looks_at_other_pictures():
    first, *_ = batches()
    changed = first.clone()
    changed[1:] *= 5
    for kind in ("batch", "layer", "instance", "group"):
        before, after = (normalise(x, kind, 3)[0][0] for x in (first, changed))
        assert torch.equal(before, after) == (kind != "batch")


def test_each_shares_what_its_axes_say():
    x = batches()[0]
    members = {
        "batch": lambda n, c: x[:, c],
        "layer": lambda n, c: x[n],
        "instance": lambda n, c: x[n, c],
        "group": lambda n, c: x[n, c // 2 * 2 : c // 2 * 2 + 2],
    }
    for kind, of in members.items():
        found, _ = normalise(x, kind, 3)
        for n in range(3):
            for c in range(CHANNELS):
                own = of(n, c)
                expected = (x[n, c] - own.mean()) / (own.var(correction=0) + 1e-5).sqrt()
                torch.testing.assert_close(found[n, c], expected, **EXACT)


def test_what_is_shared_with_the_first_number():
    counts = {"batch": 4 * 5, "layer": 6 * 5, "instance": 5, "group": 2 * 5}
    for kind, count in counts.items():
        shared = shared_with_first(kind, (4, 6, 5), groups=3)
        assert shared[0, 0].all() and shared.sum() == count
        assert shared[:, 0].all() == (kind == "batch") and shared[0].all() == (kind == "layer")


def test_groups_lead_from_layer_to_instance():
    x = batches()[0]
    assert torch.equal(normalise(x, "group", 1)[0], normalise(x, "layer")[0])
    assert torch.equal(normalise(x, "group", CHANNELS)[0], normalise(x, "instance")[0])


def test_sound_and_vectors_have_places_too():
    x = torch.randn(8, 4, 9).double()
    torch.testing.assert_close(Normalisation("batch", 4).double()(x), nn.BatchNorm1d(4).double()(x), **EXACT)
    x = torch.randn(8, 4).double()
    torch.testing.assert_close(Normalisation("batch", 4).double()(x), nn.BatchNorm1d(4).double()(x), **EXACT)


def test_equal_numbers_are_normalised_to_zero():
    found, taken = normalise(torch.full((2, 4, 3, 3), 7.0), "batch")
    assert found.count_nonzero() == 0 and taken.variance.count_nonzero() == 0


def test_a_mean_of_one_number_is_refused_in_training_and_fine_afterwards():
    layer, x = Normalisation("batch", 4), torch.rand(1, 4, 1, 1)
    with pytest.raises(
        ValueError, match=r"batch normalisation of shape \(1, 4, 1, 1\) has one number for each"
    ):
        layer(x)
    torch.testing.assert_close(layer.eval()(x), x / (1 + 1e-5) ** 0.5)
    with pytest.raises(ValueError, match="instance normalisation"):
        Normalisation("instance", 4)(x)
    known = Statistics(torch.zeros(1, 4, 1, 1, 1), torch.ones(1, 4, 1, 1, 1))
    assert normalise(x, "batch", known=known)[1] is known


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="6 channels can't be split into 4 groups"):
        Normalisation("group", 6, groups=4)
    with pytest.raises(ValueError, match="6 channels can't be split into 0 groups"):
        Normalisation("group", 6, groups=0)
    with pytest.raises(ValueError, match="inputs have 5 channels; this layer is for 6"):
        Normalisation("layer", 6)(torch.rand(2, 5, 3, 3))
