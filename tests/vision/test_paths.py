"""The unravelled view: counts against binomials, sums against the network, one path's gradient by hand."""

from itertools import combinations

import pytest
import torch
from scipy.stats import binom
from torch import nn
from torch.nn import functional

from course_lib.vision import (
    Residual,
    ResidualStack,
    path_gradient,
    path_outputs,
    paths_by_length,
    share_of_paths,
)


def test_54_blocks_as_in_the_paper():
    assert sum(paths_by_length(54)) == 2**54
    assert 100 * share_of_paths(54, 5, 17) == pytest.approx(0.45, abs=0.005)  # Veit et al. 2016, section 5
    assert share_of_paths(54, 5, 17) == pytest.approx(binom.cdf(17, 54, 0.5) - binom.cdf(4, 54, 0.5))
    assert paths_by_length(3) == [1, 3, 3, 1] and paths_by_length(0) == [1]


def test_linear_blocks_are_the_sum_of_their_paths():
    torch.manual_seed(0)
    branches = [nn.Conv2d(3, 3, 3, padding=1, bias=False).double() for _ in range(4)]
    network = nn.Sequential(*(Residual(branch, nn.Identity()) for branch in branches))
    x = torch.randn(2, 3, 6, 6).double()
    found = path_outputs(branches, x)
    assert len(found) == 2**4 and torch.equal(found[()], x)
    torch.testing.assert_close(found[1, 3], branches[3](branches[1](x)))
    torch.testing.assert_close(sum(found.values()), network(x), rtol=0, atol=1e-10)


def test_with_a_relu_they_are_not():
    torch.manual_seed(0)
    branches = [nn.Sequential(nn.Conv2d(2, 2, 1), nn.ReLU()) for _ in range(3)]
    x = torch.randn(4, 2, 3, 3)
    network = nn.Sequential(*(Residual(branch, nn.Identity()) for branch in branches))
    assert not torch.allclose(sum(path_outputs(branches, x).values()), network(x), atol=1e-3)


def stack(shortcuts=True, blocks=3):
    torch.manual_seed(0)
    network = ResidualStack(blocks, width=4, shortcuts=shortcuts)
    network(torch.rand(16, 1, 8, 8))  # moves the running statistics
    return network.eval()


def test_the_gradients_of_all_paths_add_up_to_the_gradient():
    network, x, labels = stack(), torch.rand(5, 1, 8, 8), torch.tensor([0, 1, 2, 3, 4])
    first = network.stem(x).detach().requires_grad_()
    loss = functional.cross_entropy(network.head(network.blocks(first)), labels)
    (whole,) = torch.autograd.grad(loss, first)

    states = [first.detach()]
    for block in network.blocks:
        states.append(block(states[-1]))
    end = states[-1].detach().requires_grad_()
    (arrives,) = torch.autograd.grad(functional.cross_entropy(network.head(end), labels), end)
    summed = torch.zeros_like(whole)
    for length in range(4):
        for chosen in combinations(range(3), length):
            back = arrives
            for i in reversed(chosen):
                before = states[i].detach().requires_grad_()
                (back,) = torch.autograd.grad(network.blocks[i].branch(before), before, back)
            assert path_gradient(network, x, labels, chosen) == pytest.approx(back.norm().item(), rel=1e-4)
            summed += back
    torch.testing.assert_close(summed, whole)


def test_without_a_block_the_others_work_on():
    network, x = stack(), torch.rand(2, 1, 8, 8)
    shorter = network.without(1)
    expected = network.head(network.blocks[2](network.blocks[0](network.stem(x))))
    torch.testing.assert_close(shorter(x), expected)
    assert len(network.blocks) == 3 and shorter.stem is network.stem


def test_without_shortcuts_a_block_is_its_branch():
    network, x = stack(shortcuts=False), torch.rand(2, 1, 8, 8)
    states = network.stem(x)
    for block in network.blocks:
        states = block.branch(states)
    torch.testing.assert_close(network(x), network.head(states))


def test_bad_input():
    with pytest.raises(ValueError, match="blocks is -1; allowed is 0 or more"):
        paths_by_length(-1)
    with pytest.raises(ValueError, match="blocks is 0; allowed is 1 or more"):
        ResidualStack(0)
    with pytest.raises(ValueError, match="block is 3; allowed is 0 to 2"):
        stack().without(3)
    with pytest.raises(ValueError, match="the network has no shortcuts"):
        path_gradient(stack(shortcuts=False), torch.rand(2, 1, 8, 8), torch.tensor([0, 1]), (0,))
