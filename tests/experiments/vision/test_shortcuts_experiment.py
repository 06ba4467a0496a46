"""What is measured of stacks: by hand on a small network."""

import pytest
import torch
from torch.nn import functional

from course_experiments.vision import shortcuts
from course_lib.vision import ResidualStack


@pytest.fixture
def network():
    torch.manual_seed(0)
    stack = ResidualStack(3, width=4)
    stack(torch.rand(16, 1, 28, 28))
    return stack.eval()


def test_short_paths_carry_what_their_number_and_size_say():
    # 1, 3, 3, 1 paths of sizes 4, 2, 1, 0: 4 + 6 + 3 + 0
    assert shortcuts.carried_by_short([4, 2, 1, 0], longest=1) == pytest.approx(100 * 10 / 13)


def test_gradients_of_all_paths_are_tried_where_there_are_few(network):
    pictures, labels = torch.rand(3, 1, 28, 28), torch.tensor([0, 1, 2])
    sizes = shortcuts.gradient_by_length(network, pictures, labels, most=5)
    by_hand = [shortcuts.path_gradient(network, pictures, labels, (block,)) for block in range(3)]
    assert len(sizes) == 4 and sizes[1] == pytest.approx(sum(by_hand) / 3)


def test_a_block_that_does_nothing_is_not_missed(network):
    torch.nn.init.zeros_(network.blocks[1].branch[5].weight)
    pictures, labels = torch.rand(30, 1, 28, 28), torch.arange(30) % 10
    left = shortcuts.deletions(network, pictures, labels)
    right = (network(pictures).argmax(dim=1) == labels).double().mean().item()
    assert len(left) == 3 and left[1] == pytest.approx(100 * right)


def test_the_loss_around_is_higher_than_at_a_minimum(network):
    pictures, labels = shortcuts.clothes("test")
    optimizer = torch.optim.Adam(network.parameters(), 1e-2)
    for _ in range(30):
        optimizer.zero_grad()
        functional.cross_entropy(network(pictures[:500]), labels[:500]).backward()
        optimizer.step()
    there = shortcuts.loss_on(pictures[:500], labels[:500])(network).item()
    assert shortcuts.loss_around(network, seed=0) > there + 0.05


def test_without_means_without():
    assert shortcuts.stack("without", 2).blocks[0].shortcut is None
    assert shortcuts.stack("with", 2).blocks[0].shortcut is not None
