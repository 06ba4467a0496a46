"""Networks that must remember: equal sizes, honest losses, curves, and the numbers that are recorded."""

import math
from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import Generator, Tensor, nn

from course_experiments.recurrent import time_characters, time_tasks
from course_experiments.recurrent.time_characters import (
    CHARACTERS,
    SCORED,
    Reading,
    nats_a_character,
    try_characters,
    windows,
)
from course_experiments.recurrent.time_results import SEEDS, character_results, clock_results, memory_results
from course_experiments.recurrent.time_tasks import (
    CLOCKS,
    DELAYS,
    TASKS,
    Task,
    Trial,
    learn,
    pair,
    parameters,
    right_at_the_end,
    squared_error_at_the_end,
    try_network,
)
from course_experiments.results import result
from course_lib.data.memory_tasks import adding_problem, delayed_bit


class Says(nn.Module):
    """Answers by a function that it is given."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, inputs: Tensor) -> Tensor:
        return self.function(inputs)


@pytest.mark.parametrize("sizes", [(2, 1, 12, 4, 8), (10, 10, 12, 4, 8), (65, 65, 64, 5, 3)])
def test_tcn_and_lstm_are_of_one_size(sizes: tuple[int, ...]) -> None:
    networks = pair(*sizes)
    counted = {name: sum(p.numel() for p in network.parameters()) for name, network in networks.items()}
    assert counted["lstm"] == pytest.approx(counted["tcn"], rel=0.03)
    assert {name: parameters(network) for name, network in networks.items()} == counted


def test_all_clocks_are_of_one_size_and_masked_weights_do_not_count() -> None:
    sizes = [parameters(make()) for make in CLOCKS.values()]
    assert max(sizes) / min(sizes) < 1.03
    clockwork = CLOCKS["clockwork"]()
    clockwork(torch.randn(2, 300, 1)).square().sum().backward()
    moving = sum(int((p.grad != 0).sum()) for p in clockwork.parameters() if p.grad is not None)
    assert parameters(clockwork) == moving


@pytest.mark.parametrize("network", ["tcn", "lstm"])
def test_an_answer_never_hears_of_later_inputs_and_hears_the_first_symbol(network: str) -> None:
    torch.manual_seed(0)
    model = pair(10, 10, 12, 4, 8)[network].double()
    inputs = torch.randn(1, 120, 10, dtype=torch.float64, requires_grad=True)
    (heard,) = torch.autograd.grad(model(inputs)[0, 110].abs().sum(), inputs)
    assert heard[0, 111:].count_nonzero() == 0  # exactly
    assert heard[0, 0].count_nonzero() > 0  # asked for 110 steps after it was read


@pytest.mark.parametrize("clock", CLOCKS)
def test_every_clock_hears_the_bit_at_the_longest_delay(clock: str) -> None:
    torch.manual_seed(0)
    model = CLOCKS[clock]().double()
    inputs = torch.randn(1, DELAYS[-1] + 1, 1, dtype=torch.float64, requires_grad=True)
    (heard,) = torch.autograd.grad(model(inputs)[0, -1, 0], inputs)
    assert heard[0, 0, 0] != 0


def test_who_remembers_nothing_pays_the_trivial_loss() -> None:
    blind = {
        "adding": lambda x: torch.ones(*x.shape[:2], 1),
        "copying": lambda x: torch.cat(
            [
                torch.tensor([0.0] + [-1e9] * 9).expand(len(x), 110, 10),
                torch.tensor([-1e9] + [0.0] * 8 + [-1e9]).expand(len(x), 10, 10),
            ],
            dim=1,
        ),
        "bit-16": lambda x: torch.zeros(*x.shape[:2], 1),
    }
    for name, answer in blind.items():
        task = TASKS[name]
        inputs, targets = task.sample(2000, generator=Generator().manual_seed(0))
        assert task.loss(answer(inputs), targets).item() == pytest.approx(task.trivial, rel=0.06), name


def test_learning_is_measured_on_the_same_sequences_and_gets_better() -> None:
    task = Task(2, 1, partial(adding_problem, length=3), squared_error_at_the_end, 1 / 6)

    def run(steps: int, seed: int) -> list[float]:
        torch.manual_seed(0)
        return learn(task, pair(2, 1, 4, 1, 3)["tcn"], steps, 2e-2, seed, every=20, batch=16, probe=100)

    curve = run(60, seed=0)
    assert len(curve) == 4 and curve[-1] < 0.5 * curve[0]
    assert run(60, seed=0) == curve
    assert run(0, seed=0) == curve[:1] == run(20, seed=1)[:1]
    assert run(20, seed=1)[1] != curve[1]


def test_bits_told_right_are_counted() -> None:
    task = Task(1, 1, partial(delayed_bit, delay=5), squared_error_at_the_end, 1.0)
    assert right_at_the_end(task, Says(lambda x: x[:, :1].expand_as(x))) == 1.0
    assert right_at_the_end(task, Says(lambda x: -x[:, :1].expand_as(x))) == 0.0
    assert right_at_the_end(task, Says(torch.ones_like)) == pytest.approx(0.5, abs=0.05)


def test_each_character_is_scored_once_and_after_enough_context() -> None:
    tokens = torch.arange(4 * SCORED + 1) % CHARACTERS
    probes = windows(tokens, 2 * SCORED + 1, SCORED)
    assert torch.equal(probes[:, -SCORED:].flatten(), tokens[SCORED + 1 :])
    assert nats_a_character(Says(torch.zeros_like), probes) == pytest.approx(math.log(65), rel=1e-5)

    def after_the_alphabet(x: Tensor) -> Tensor:
        return 10 * x.roll(1, dims=-1)  # here the next token is always the next number

    right = math.log(1 + 64 * math.exp(-10))
    assert nats_a_character(Says(after_the_alphabet), probes) == pytest.approx(right, rel=1e-3)
    first = Says(lambda x: torch.cat([torch.zeros_like(x[:, :SCORED]), after_the_alphabet(x)[:, SCORED:]], 1))
    assert nats_a_character(first, probes) == pytest.approx(right, rel=1e-3)  # the first half is only read


def test_a_short_run_on_characters_beats_guessing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_characters, "WINDOW", 32)
    reading = try_characters("lstm", seed=0, cpu_seconds=0.6, held_out=1500)
    assert reading.characters % (16 * 32) == 0 and reading.characters > 0
    assert reading.curve[-1] < math.log(65)


def test_a_trial_says_what_was_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_tasks, "BIT_STEPS", 2)
    trial = try_network("bit-16", "clockwork", seed=1)
    assert trial[:4] == ("bit-16", "clockwork", 1, parameters(CLOCKS["clockwork"]()))
    assert len(trial.curve) == 1 and 0 <= trial.right <= 1


def test_results_are_shares_of_the_trivial_loss_over_seeds() -> None:
    trials = [
        Trial(
            task, network, seed, 100, 10.0, [TASKS[task].trivial, (seed + 1) * TASKS[task].trivial], math.nan
        )
        for task in ("adding", "copying")
        for network in ("tcn", "lstm")
        for seed in (0, 1)
    ]
    found = {r.id: r for r in memory_results(trials)}
    assert len(found) == 2 * 2 * (5 + 2)
    assert found["tcn-adding-tcn-seed-1"].value == pytest.approx(200)
    last = found["tcn-copying-lstm-loss"]
    assert last.value == pytest.approx(150) and last.spread == pytest.approx(100 / math.sqrt(2), rel=1e-4)
    assert last.published == pytest.approx(100, abs=0.2)  # the published LSTM has remembered nothing
    assert found["tcn-adding-tcn-step-0"].value == pytest.approx(100)
    assert found["tcn-adding-tcn-step-100"].value == pytest.approx(last.value)


def test_results_of_characters_and_clocks() -> None:
    texts = {r.id: r for r in character_results([Reading("tcn", 0, 7, 900, [2.5, 2.0])])}
    assert texts["tcn-characters-tcn-nats"].value == 2.0 == texts["tcn-characters-tcn-tenth-2"].value
    assert texts["tcn-characters-tcn-nats"].published == pytest.approx(1.31 * math.log(2), abs=1e-3)
    trials = [
        Trial(f"bit-{delay}", clock, seed, 7, 1.0, [0.1], 0.5 + seed / 10)
        for delay in DELAYS
        for clock in CLOCKS
        for seed in (0, 1)
    ]
    bits = {r.id: r for r in clock_results(trials)}
    assert len(bits) == len(CLOCKS) * (1 + len(DELAYS))
    assert bits["delayed-bit-delays-64"].value == pytest.approx(55)


def test_the_recorded_comparison_is_of_equal_sizes_and_says_what_the_lecture_says() -> None:
    shapes = {"adding": (2, 1, 12, 4, 8), "copying": (10, 10, 12, 4, 8), "characters": (65, 65, 64, 5, 3)}
    for name, shape in shapes.items():
        for network, model in pair(*shape).items():
            assert result(f"tcn-{name}-{network}-parameters").value == parameters(model)
    tcn, lstm = ([result(f"tcn-copying-{n}-seed-{s}").value for s in SEEDS] for n in ("tcn", "lstm"))
    assert sum(loss < 1 for loss in tcn) >= 2 and min(lstm) > 90  # percent of the trivial loss
    published = result("tcn-copying-tcn-loss").published
    assert published is not None and published < 1
    for network in ("tcn", "lstm"):
        assert result(f"tcn-adding-{network}-loss").value < 20
        nats = result(f"tcn-characters-{network}-nats")
        assert nats.published is not None and nats.published < nats.value < math.log(65)


def test_recorded_bits_are_shares_and_every_clock_is_there() -> None:
    for clock, make in CLOCKS.items():
        assert result(f"delayed-bit-{clock}-parameters").value == parameters(make())
        assert all(0 <= result(f"delayed-bit-{clock}-{delay}").value <= 100 for delay in DELAYS)
