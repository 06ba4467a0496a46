"""The model answers of the paper on convnets against torch and the library, and what a student reads."""

import pytest
import torch
from assignment import functions, read, run_with_answer
from torch import nn
from torch.nn import functional

from course_lib.vision import Geometry, max_pool, output_size, receptive_field_size


@pytest.fixture(scope="module")
def paper():
    """The functions of the solved paper."""
    return functions("ps00_cnn")


def random(*sizes, seed=0):
    return torch.randn(*sizes, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("stride", "padding"), [(1, 0), (1, 2), (2, 1), (3, 0)])
def test_the_convolution_and_its_way_back_are_torchs(paper, stride, padding):
    leaves = random(2, 3, 8, 9), random(4, 3, 3, 2, seed=1), random(4, seed=2)
    x, w, b = (leaf.requires_grad_() for leaf in leaves)
    y = functional.conv2d(x, w, b, stride, padding)
    torch.testing.assert_close(paper.convolve(x, w, b, stride, padding), y)
    g = random(*y.shape, seed=1)
    ours = paper.convolve_backward(g, x.detach(), w.detach(), stride, padding)
    for one, other in zip(ours, torch.autograd.grad(y, (x, w, b), g), strict=True):
        torch.testing.assert_close(one, other)


def test_where_no_numbers_are_equal_the_pooling_and_its_way_back_are_torchs(paper):
    x, g = random(2, 3, 8, 9).requires_grad_(), random(2, 3, 3, 4, seed=1)
    y = functional.max_pool2d(x, 3, 2)
    torch.testing.assert_close(paper.max_pool(x, 3, 2), y)
    (expected,) = torch.autograd.grad(y, x, g)
    torch.testing.assert_close(paper.max_pool_backward(g, x.detach(), 3, 2), expected)


def test_equal_numbers_share_what_the_librarys_switch_gives_to_one(paper):
    x, g = random(2, 3, 6, 6).relu(), torch.ones(2, 3, 3, 3, dtype=torch.float64)
    shared = paper.max_pool_backward(g, x, 2, 2)
    assert (shared.unfold(2, 2, 2).unfold(3, 2, 2).sum((4, 5)) == 1).all()
    winners = max_pool(x, 2, 2).switches.flatten(2)
    assert (shared.flatten(2).gather(2, winners) > 0).all()


def test_the_sizes_are_those_of_torch_and_of_the_library(paper):
    layers = [(5, 2, 2, 1), (3, 1, 0, 2), (3, 2, 1, 1)]
    x, sizes = torch.zeros(1, 1, 28), []
    for taps, stride, padding, dilation in layers:
        x = functional.conv1d(x, torch.ones(1, 1, taps), None, stride, padding, dilation)
        sizes.append(x.shape[2])
    assert paper.output_sizes(28, layers) == sizes
    geometries = [(taps, Geometry(*rest)) for taps, *rest in layers]
    assert sizes[0] == output_size(28, *geometries[0])
    first, last = paper.seen(2, layers)
    assert last - first + 1 == receptive_field_size(geometries)


def test_what_is_seen_is_where_the_gradient_is(paper):
    layers = [(3, 2, 1, 1), (2, 1, 0, 3), (3, 3, 2, 1)]
    x = torch.ones(1, 1, 60, requires_grad=True)
    y = x
    for taps, stride, padding, dilation in layers:
        y = functional.conv1d(y, torch.ones(1, 1, taps), None, stride, padding, dilation)
    (gradient,) = torch.autograd.grad(y[0, 0, 4], x)
    places = gradient[0, 0].nonzero().flatten()
    assert paper.seen(4, layers) == (places.min(), places.max())


def test_both_modes_of_the_normalisation_are_torchs(paper):
    layer = nn.BatchNorm2d(3, dtype=torch.float64)
    nn.init.normal_(layer.weight, generator=torch.Generator().manual_seed(0))
    nn.init.normal_(layer.bias, generator=torch.Generator().manual_seed(1))
    mean, variance = layer.running_mean.clone(), layer.running_var.clone()
    for seed in range(4):
        layer.train(seed < 3)
        x = 2 + 3 * random(4, 3, 5, 2, seed=seed)
        y, mean, variance = paper.batch_norm(x, layer.weight, layer.bias, mean, variance, seed < 3)
        torch.testing.assert_close(y, layer(x))
        torch.testing.assert_close(mean, layer.running_mean)
        torch.testing.assert_close(variance, layer.running_var)


def test_in_a_network_that_ends_in_a_mean_grad_cam_is_cam(paper):
    maps, w = random(2, 5, 4, 4).requires_grad_(), random(5, seed=1)
    score = (maps.mean((2, 3)) @ w).sum()
    (gradients,) = torch.autograd.grad(score, maps)
    cam = torch.einsum("c,ncij->nij", w, maps.detach()).relu()
    expected = cam / cam.amax((1, 2), keepdim=True)
    torch.testing.assert_close(paper.grad_cam(maps.detach(), gradients), expected)


def test_an_attack_raises_the_loss_and_stays_within_its_promise(paper):
    torch.manual_seed(0)
    network = nn.Sequential(nn.Flatten(), nn.Linear(48, 10, dtype=torch.float64))
    mean, std = torch.tensor([0.4, 0.5, 0.6]).double(), torch.tensor([0.2, 0.25, 0.3]).double()
    pixels = random(5, 3, 4, 4).sigmoid()
    x = ((pixels - mean[:, None, None]) / std[:, None, None]).requires_grad_()
    labels = torch.arange(5)
    loss = functional.cross_entropy(network(x), labels)
    (gradient,) = torch.autograd.grad(loss, x)
    attacked = paper.attack(x.detach(), gradient, mean, std, 0.05)
    moved = attacked * std[:, None, None] + mean[:, None, None]
    assert functional.cross_entropy(network(attacked), labels) > loss
    assert (moved - pixels).abs().max() < 0.05 + 1e-9
    assert moved.min() > -1e-9 and moved.max() < 1 + 1e-9


def test_the_gradient_of_t_sne_is_autograds(paper):
    raw = random(7, 7).exp()
    p = (raw + raw.T).fill_diagonal_(0)
    p, y = p / p.sum(), random(7, 2, seed=1).requires_grad_()
    divergence, gradient = paper.tsne_step(p, y.detach())
    near = (1 + (y[:, None] - y[None]).square().sum(-1)).reciprocal() * (1 - torch.eye(7).double())
    pairs = p > 0
    expected = functional.kl_div((near / near.sum())[pairs].log(), p[pairs], reduction="sum")
    torch.testing.assert_close(divergence, expected.detach())
    torch.testing.assert_close(gradient, torch.autograd.grad(expected, y)[0])


@pytest.mark.usefixtures("warm_kernels")
def test_a_student_who_turns_the_kernel_round_reads_it(tmp_path):
    answer = (
        "def convolve(x, w, b, stride=1, padding=0):\n"
        "    padded = torch.nn.functional.pad(x, [padding] * 4)\n"
        "    windows = padded.unfold(2, w.shape[2], stride).unfold(3, w.shape[3], stride)\n"
        '    return torch.einsum("ncijkl,ockl->noij", windows, w.flip(2, 3)) + b[:, None, None]'
    )
    outputs = run_with_answer(read("ps00_cnn"), "ps00-convolve", answer, tmp_path)
    [shown] = outputs["ps00-convolve-visible"]
    assert shown.evalue == (
        "convolve, on the example of the text: y[picture 0, channel 0, row 0, column 0] should be 4, got 2. "
        "You turned the kernel round; here it acts as it stands."
    )
    assert " ".join(shown.traceback) == f"CheckError: {shown.evalue}"
