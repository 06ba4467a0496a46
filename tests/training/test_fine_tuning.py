"""Fine-tuning: what is frozen does not move, not in its weights and not in its running statistics."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.training.fine_tuning import fine_tune
from course_lib.vision.fine_tuning import FineTuned


def stages():
    torch.manual_seed(0)
    return nn.Sequential(
        *(nn.Sequential(nn.Conv2d(i, 4, 3), nn.BatchNorm2d(4), nn.ReLU()) for i in (3, 4, 4))
    )


def state(module):
    return {name: value.clone() for name, value in module.state_dict().items()}


def moved(before, module):
    return {name for name, value in module.state_dict().items() if not torch.equal(value, before[name])}


def tuned(frozen, steps=5, net=None):
    network = net or FineTuned(stages(), frozen, 4, 2)
    pictures, labels = torch.rand(20, 3, 9, 9), torch.arange(20) % 2
    generator = torch.Generator().manual_seed(0)
    return network, list(fine_tune(network, network.look(pictures), labels, steps, 1e-2, generator, batch=10))


@pytest.mark.parametrize("frozen", [0, 1, 2, 3])
def test_frozen_stages_do_not_move_and_others_do(frozen):
    network = FineTuned(stages(), frozen, 4, 2)
    still, others, readout = state(network.frozen), state(network.trained), state(network.readout)
    tuned(frozen, net=network)
    assert moved(still, network.frozen) == set()
    assert moved(others, network.trained) == {name for name, _ in network.trained.named_parameters()}
    assert moved(readout, network.readout) == set(readout)


def test_it_stays_in_evaluation_mode():
    network = FineTuned(stages(), 1, 4, 2)
    assert not any(module.training for module in (network.train(), *network.train(True).modules()))


def test_in_training_mode_frozen_statistics_would_move():
    module = stages().requires_grad_(False).train()
    before = state(module)
    module(torch.rand(4, 3, 9, 9))
    assert any("running_mean" in name for name in moved(before, module))


def test_what_was_looked_at_once_is_judged_as_the_whole_network_does():
    torch.manual_seed(1)
    network = FineTuned(stages(), 2, 4, 2).eval()
    pictures = torch.rand(5, 3, 9, 9)
    by_hand = network.readout(network.trained(network.frozen(pictures)).mean(dim=(2, 3)))
    torch.testing.assert_close(network(pictures), by_hand)
    assert not network.look(pictures).requires_grad


def test_old_layers_learn_at_a_tenth_of_the_rate():
    network = FineTuned(stages(), 1, 4, 2)
    before = {name: value.detach().clone() for name, value in network.named_parameters()}
    tuned(1, steps=1, net=network)  # the first step of Adam moves each weight by its rate
    farthest = {
        name: (value.detach() - before[name]).abs().max().item() for name, value in network.named_parameters()
    }
    assert farthest["readout.weight"] == pytest.approx(1e-2, rel=1e-2)
    assert farthest["trained.1.0.weight"] == pytest.approx(1e-3, rel=1e-2)


def test_it_learns_to_tell_bright_from_dark():
    torch.manual_seed(0)
    network = FineTuned(stages(), 1, 4, 2)
    pictures = torch.rand(40, 3, 9, 9)
    pictures[::2] += 2
    labels = torch.arange(40) % 2
    losses = list(
        fine_tune(network, network.look(pictures), labels, 60, 5e-2, torch.Generator().manual_seed(0))
    )
    assert losses[-1] < 0.5 * losses[0] and len(losses) == 60
    assert functional.cross_entropy(network(pictures), labels) < losses[0]


@pytest.mark.parametrize("frozen", [-1, 4])
def test_bad_input(frozen):
    with pytest.raises(ValueError, match=f"frozen is {frozen}; allowed is 0 to 3"):
        FineTuned(stages(), frozen, 4, 2)
