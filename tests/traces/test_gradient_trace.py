"""What the gradient trace accepts and refuses, and that it measures the gradients of autograd."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.recurrent import LSTM, RNN, gradient_trace
from course_lib.traces import AttentionTrace, GradientTrace

NONE = -np.inf


def make(
    logs=((0.0, NONE), (-1.0, 0.5)), models=("RNN",), steps=(0, 1), sizes=(4,), inputs=("a", "b"), **others
):
    """One model of two steps, with a loss at each."""
    return GradientTrace(np.array([logs]), models, np.array(steps), np.array(sizes), inputs, **others)


@given(inputs=st.lists(st.text(st.characters()), min_size=2, max_size=2), title=st.text(), model=st.text())
def test_every_string_survives_saving(tmp_path_factory, inputs, title, model):
    trace = make(inputs=inputs, targets=inputs, title=title, models=(model,))
    loaded = GradientTrace.load(trace.save(tmp_path_factory.mktemp("trace") / "run"))
    assert loaded == trace
    assert (loaded.inputs, loaded.models) == (tuple(inputs), (model,))


def test_another_kind_of_trace_is_not_loaded(tmp_path):
    with pytest.raises(ValueError, match=r"must hold AttentionTrace, but .* holds GradientTrace"):
        AttentionTrace.load(make().save(tmp_path / "run"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"logs": ((), ()), "inputs": ()}, "log10_norms must have no empty axis"),
        ({"sizes": (0,)}, r"hidden_sizes must be 1 or more, got \[0\]"),
        ({"steps": (0, 2)}, r"loss_steps must differ and lie in -1 to 1, got \[0, 2\]"),
        ({"steps": (1, 1)}, "loss_steps must differ"),
        ({"steps": (-2, 1)}, "loss_steps must differ and lie in -1"),
        ({"inputs": ("a",)}, "inputs has 1 steps, but log10_norms has 2"),
        ({"models": ("a", "b")}, "models has 2 models, but log10_norms has 1"),
        ({"logs": ((np.nan, NONE), (0, 0))}, "'RNN', loss at step 1, has nan at step 1"),
        ({"logs": ((0, NONE), (0, np.inf))}, "'RNN', loss at step 2, has inf at step 2"),
        ({"logs": ((0, 0), (0, 0))}, "the loss at step 1 has a gradient after step 1"),
    ],
)
def test_refused_values(wrong, message):
    with pytest.raises(ValueError, match=message):
        make(**wrong)


def test_the_sum_of_all_losses_may_have_a_gradient_everywhere():
    trace = make(logs=((0, 1), (-1, 0.5)), steps=(-1, 1))
    assert [trace.last_step(row) for row in (0, 1)] == [1, 1]
    assert [trace.name_of_loss(row) for row in (0, 1)] == ["losses of all steps", "loss at step 2"]
    assert [trace.row_of_loss(step) for step in (None, -1, 1)] == [0, 0, 1]
    with pytest.raises(ValueError, match="loss must be one of -1, 1, got 0"):
        trace.row_of_loss(0)


def test_norms_are_those_of_autograd():
    """One backward pass for each loss, through a forward pass of its own."""
    torch.manual_seed(0)
    layers = {"RNN": RNN(3, 5).double(), "LSTM": LSTM(3, 4).double()}
    inputs, asked = torch.randn(2, 4, 3).double(), torch.randn(2, 4)
    losses = {name: lambda states: (states.sum(-1) - asked) ** 2 for name in layers}
    trace = gradient_trace(layers, inputs, "abcd", losses, targets="efgh", title="T")
    assert trace.models == ("RNN", "LSTM · h", "LSTM · c")
    assert trace.loss_steps.tolist() == [-1, 0, 1, 2, 3]
    assert trace.hidden_sizes.tolist() == [5, 4, 4]
    assert (trace.inputs, trace.targets, len(trace)) == (tuple("abcd"), tuple("efgh"), 4)

    row = 0
    for layer in layers.values():
        for loss, step in enumerate(trace.loss_steps.tolist()):
            state, seen = layer.zero_state(2), []
            for x in inputs.unbind(1):
                state = layer.step(layer.project(x), state)
                seen.append(state)
                for part in state:
                    part.retain_grad()
            every = (torch.stack([h for h, *_ in seen], dim=1).sum(-1) - asked) ** 2
            (every.sum() if step < 0 else every[:, step].sum()).backward()
            for part in range(layer.parts):
                for t, states in enumerate(seen):
                    gradient = states[part].grad
                    norm = 0.0 if gradient is None else gradient.norm(dim=-1).mean().item()
                    assert 10 ** trace.log10_norms[row + part, loss, t] == pytest.approx(norm, rel=1e-10)
        row += layer.parts


def test_a_gradient_far_below_float32_is_still_a_number():
    layer = RNN(1, 1)
    with torch.no_grad():
        layer.W_h.weight.fill_(0.1)
    trace = gradient_trace({"RNN": layer}, torch.zeros(1, 101, 1), "x" * 101)
    np.testing.assert_allclose(trace.log10_norms[0, -1], np.arange(-100, 1), atol=1e-4)


def test_layers_and_readouts_may_hold_single_precision():
    torch.manual_seed(0)
    layer, readout = RNN(2, 3), torch.nn.Linear(3, 1)
    trace = gradient_trace(
        {"RNN": layer}, torch.zeros(1, 2, 2), "ab", {"RNN": lambda states: readout(states).squeeze(-1)}
    )
    assert layer.W_h.weight.dtype == torch.float32
    assert 10 ** trace.log10_norms[0, 2, 1] == pytest.approx(readout.weight.norm().item(), rel=1e-6)


def test_layers_and_losses_must_belong_together():
    with pytest.raises(ValueError, match="layers must hold at least one layer"):
        gradient_trace({}, torch.zeros(1, 2, 1), "ab")
    with pytest.raises(ValueError, match="losses must have the names a, got b"):
        gradient_trace({"a": RNN(1, 1)}, torch.zeros(1, 2, 1), "ab", {"b": torch.sum})


def test_an_exploded_gradient_is_refused_by_name():
    layer = RNN(1, 1)
    with torch.no_grad():
        layer.W_h.weight.fill_(1e30)
    with pytest.raises(ValueError, match="'big', losses of all steps, has inf at step 1"):
        gradient_trace({"big": layer}, torch.zeros(1, 13, 1), "x" * 13)
