"""The model answers of the language model paper against torch and the library, and what a student reads."""

import inspect
import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from assignment import functions, read, run_with_answer
from sklearn.linear_model import Ridge
from torch import nn
from torch.nn import functional

from course_lib.recurrent.gru import PaperGRU
from course_lib.recurrent.spectral import spectral_radius
from course_lib.recurrent.truncated import truncated_losses
from course_lib.reservoir.echo_state import EchoStateNetwork

BATCH, INPUT, HIDDEN = 3, 4, 5


@pytest.fixture(scope="module")
def paper():
    """The functions of the solved paper."""
    return functions("ps02_lstm_lm")


def random(*sizes, seed=0):
    return torch.randn(*sizes, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def test_the_step_is_torchs_lstm_cell(paper):
    cell = nn.LSTMCell(INPUT, HIDDEN, dtype=torch.float64)
    x, h, c = random(BATCH, INPUT), random(BATCH, HIDDEN, seed=1), random(BATCH, HIDDEN, seed=2)
    W = torch.cat([cell.weight_hh, cell.weight_ih], dim=1)
    ours = paper.lstm_step(x, h, c, W, cell.bias_ih + cell.bias_hh, "ifgo")
    torch.testing.assert_close(ours, cell(x, (h, c)))


@pytest.mark.parametrize("half_life", [0.1, 1, 2.2, 1000])
def test_half_of_the_cell_is_left_after_a_half_life(paper, half_life):
    gate = torch.tensor(paper.forget_bias(half_life), dtype=torch.float64).sigmoid()
    assert float(gate**half_life) == pytest.approx(0.5)


def test_the_steps_are_torchs_gru_and_the_papers(paper):
    cell = nn.GRUCell(INPUT, HIDDEN, dtype=torch.float64)
    x, h = random(BATCH, INPUT), random(BATCH, HIDDEN, seed=1)
    weights = (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
    torch.testing.assert_close(paper.gru_step(x, h, *weights, reset_before=False), cell(x, h))
    layer = PaperGRU(INPUT, HIDDEN).double()
    layer.load_state_dict(
        {"W_x.weight": weights[0], "W_h.weight": weights[1], "W_x.bias": weights[2] + weights[3]}
    )
    [expected] = layer.step(layer.project(x), (h,))
    torch.testing.assert_close(paper.gru_step(x, h, *weights, reset_before=True), expected)


def test_turned_weights_compute_the_same_on_the_slides(paper):
    cell = nn.GRUCell(INPUT, HIDDEN, dtype=torch.float64)
    x, h = random(BATCH, INPUT), random(BATCH, HIDDEN, seed=1)
    W, U, b, d = paper.to_slides(cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
    x_z, x_r, x_n = functional.linear(x, W, b).chunk(3, dim=1)
    h_z, h_r, h_n = functional.linear(h, U, d).chunk(3, dim=1)
    z, r = (x_z + h_z).sigmoid(), (x_r + h_r).sigmoid()
    torch.testing.assert_close((1 - z) * h + z * (x_n + r * h_n).tanh(), cell(x, h))


def test_a_pass_over_a_text_is_the_librarys(paper):
    tokens = torch.randint(7, (2, 12), generator=torch.Generator().manual_seed(3))
    start = tuple(random(1, 2, HIDDEN, seed=seed) for seed in (4, 5))

    def learner():
        torch.manual_seed(0)
        layer, head = nn.LSTM(7, HIDDEN, batch_first=True).double(), nn.Linear(HIDDEN, 7).double()

        def model(x, y, state):
            states, state = layer(functional.one_hot(x, 7).double(), state)
            return functional.cross_entropy(head(states).transpose(1, 2), y), state

        weights = [*layer.parameters(), *head.parameters()]

        def step():
            with torch.no_grad():
                for weight in weights:
                    weight -= 0.5 * weight.grad

        def zero_grad():
            for weight in weights:
                weight.grad = None

        return model, SimpleNamespace(step=step, zero_grad=zero_grad)

    model, optimizer = learner()
    losses, state = paper.train_pass(model, optimizer, tokens, 4, start)
    model, optimizer = learner()
    expected = []
    for loss in truncated_losses(model, tokens, 4, start):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        expected.append(loss.item())
    assert losses == pytest.approx(expected, rel=1e-12)
    assert not any(part.requires_grad for part in state)


def test_the_reach_of_a_real_layer_stops_where_its_state_is_detached(paper):
    layer = nn.LSTM(1, HIDDEN, batch_first=True, dtype=torch.float64)

    def chunks_of_three(x):
        outputs, state = [], None
        for chunk in x.split(3):
            states, state = layer(chunk.reshape(1, -1, 1), state)
            state = tuple(part.detach() for part in state)
            outputs.append(states[0].sum(dim=1))
        return torch.cat(outputs)

    assert paper.gradient_reach(chunks_of_three, random(8)) == [1, 2, 3, 1, 2, 3, 1, 2]


def test_a_uniform_model_of_65_characters_needs_six_bits(paper):
    loss = functional.cross_entropy(torch.zeros(10, 65), torch.arange(10), reduction="none")
    found = paper.per_character(loss, ["é"] * 10)
    assert found == pytest.approx((65, 65, math.log2(65)))


def test_draws_come_as_often_as_a_temperature_says(paper):
    logits = random(6)
    u = torch.rand(20_000, generator=torch.Generator().manual_seed(1))
    p = paper.at_temperature(logits, 0.7)
    torch.testing.assert_close(p, (logits / 0.7).softmax(dim=-1))
    counts = paper.draw(p.expand(20_000, 6), u).bincount(minlength=6)
    chi_square = ((counts - 20_000 * p).square() / (20_000 * p)).sum()
    assert chi_square < 20.5  # 5 degrees of freedom: one seed in a thousand is above


def test_every_bracket_of_a_program_closes(paper):
    source = inspect.getsource(EchoStateNetwork.generate)
    matched, total = paper.matched_brackets(source)
    assert matched == total > 30
    assert paper.matched_brackets(source.replace(")", "", 1)) == (total - 2, total - 1)


def test_a_scaled_reservoir_has_the_radius(paper):
    assert spectral_radius(paper.scale_reservoir(random(30, 30), 0.8)) == pytest.approx(0.8)


def test_the_features_are_those_of_the_librarys_network(paper):
    network = EchoStateNetwork(2, 1, 20, leak=0.3, seed=0)
    u = random(15, 2)
    states, _ = network.listen(u.numpy())
    expected = np.hstack([np.ones((15, 1)), u.numpy(), states])[5:]
    W_in, W = torch.from_numpy(network.W_in), torch.from_numpy(network.W.toarray())
    np.testing.assert_allclose(paper.echo_features(u, W_in, W, 0.3, 5), expected)


@pytest.mark.parametrize("beta", [0.1, 10.0])
def test_the_readout_is_scikits_ridge(paper, beta):
    features, targets = torch.cat([torch.ones(30, 1).double(), random(30, 4)], dim=1), random(30, 2, seed=1)
    theirs = Ridge(alpha=beta).fit(features[:, 1:].numpy(), targets.numpy())
    expected = np.column_stack([theirs.intercept_, theirs.coef_])
    np.testing.assert_allclose(paper.train_readout(features, targets, beta), expected)


def cells(*ids):
    return [cell.source for cell in read("ps02_lstm_lm").cells if cell.id in ids]


def test_the_reservoir_beats_last_years_sunspots(paper):
    names = dict(vars(paper))
    for source in cells("ps02-sunspots"):
        exec(source, names)
    seen, nrmse = names["seen"], names["nrmse"]
    forecast = names["features"][seen:] @ names["W_out"].T
    assert names["targets"][seen - 1] == names["load_sunspots"]().between(1920, 1920)[0] / 100
    assert nrmse(forecast, names["targets"][seen:]) < 0.7 * nrmse(
        names["old"][seen:], names["targets"][seen:]
    )


def test_the_model_answer_says_what_the_table_shows(paper, capsys):
    names = dict(vars(paper))
    for source in cells("ps02-knows-table"):
        exec(source, names)
    _, *rows = (line.split() for line in capsys.readouterr().out.splitlines())
    real = {row[0]: float(row[1]) for row in rows}
    different = {row[0]: int(row[2]) for row in rows}
    assert real["0.1"] == max(real.values()) > real["Shakespeare"] > 0.95
    assert different["0.1"] < different["Shakespeare"] / 3
    assert real["0.6"] == pytest.approx(real["Shakespeare"], abs=0.03)
    assert different["0.6"] == pytest.approx(different["Shakespeare"], abs=10)


@pytest.mark.usefixtures("warm_kernels")
def test_a_student_who_detaches_only_h_reads_it(tmp_path):
    answer = (
        "def train_pass(model, optimizer, tokens, size, state):\n"
        "    losses = []\n"
        "    for x, y in zip(tokens[:, :-1].split(size, 1), tokens[:, 1:].split(size, 1)):\n"
        "        loss, (h, c) = model(x, y, state)\n"
        "        optimizer.zero_grad()\n"
        "        loss.backward()\n"
        "        optimizer.step()\n"
        "        state = (h.detach(), c)\n"
        "        losses.append(loss.item())\n"
        "    return losses, state"
    )
    outputs = run_with_answer(read("ps02_lstm_lm"), "ps02-chunks", answer, tmp_path)
    [shown] = outputs["ps02-chunks-visible"]
    assert shown.evalue.startswith(
        "train_pass, on the tokens of the example: your code raised RuntimeError in line 6 of its cell: "
        "Trying to backward through the graph a second time"
    )
    assert shown.evalue.endswith(
        "the gradient crosses the border of a chunk. Detach every part of the state."
    )
    assert " ".join(shown.traceback) == f"CheckError: {shown.evalue}"
    [hidden] = outputs["ps02-chunks-hidden"]
    assert "line 6" in hidden.evalue
    assert "graph" not in hidden.evalue
