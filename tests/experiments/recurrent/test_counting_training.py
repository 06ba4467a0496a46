"""Networks that learn to count, how their reach is measured, and what the shipped ones can do."""

from functools import partial
from itertools import pairwise

import pytest
import torch

from course_experiments.recurrent import counting
from course_experiments.recurrent.counting import (
    LANGUAGES,
    LONGEST,
    SideBySide,
    count,
    learn_to_count,
    reach,
    reads_right,
    train_counters,
)
from course_experiments.results import result
from course_lib.applications.counter import (
    IGNORED,
    UNITS,
    CountingModel,
    best_units,
    load_counter,
    memory,
    words,
)
from course_lib.checkpoints import save_checkpoint
from course_lib.data.counting import END, continuations, counting_word

BOTH = pytest.mark.parametrize("kind", ["lstm", "gru"])
EACH = pytest.mark.parametrize("letters", ["ab", "abc"])


@EACH
def test_what_is_asked_is_what_the_recogniser_knows_for_certain(letters):
    sizes = [1, 4, 2]
    read, following = words(letters, sizes)
    for n, inputs, targets in zip(sizes, read.tolist(), following.tolist(), strict=True):
        word = counting_word(n, letters)
        assert "".join(letters[i] for i in inputs[: len(word)]) == word
        for allowed, target in zip(continuations(word, letters)[1:], targets, strict=False):
            asked = set() if target == IGNORED else {(letters + END)[target]}
            assert asked == (allowed if len(allowed) == 1 else set())
        assert set(targets[len(word) :]) <= {IGNORED}


def hand_made(letters="ab", pace=1.0):
    """An LSTM of which one cell counts a up and b down, b at this pace, and a head that sees zero."""
    model = CountingModel(letters, "lstm")
    for weight in model.parameters():
        weight.data.zero_()
    gates = model.recurrent.weight_ih_l0.data.view(4, UNITS, len(letters))  # torch's order: i, f, g, o
    model.recurrent.bias_ih_l0.data.view(4, UNITS)[[0, 1, 3]] = 20.0
    gates[2, 0, :2] = torch.tensor([20.0, -torch.atanh(torch.tensor(min(pace, 1 - 1e-7))).item()])
    model.head.bias.data[:] = torch.tensor([-9.0, 0.0, 0.3])
    model.head.weight.data[1, 0] = 1.0  # a b is likelier while tanh(c) is above 0.3
    return model.eval()


def test_reach_ends_before_the_first_word_that_is_read_wrong():
    assert reach(hand_made(), 120) == 120
    # 0.98 n is left after n steps down: below atanh 0.3 up to 15, and above it, a b too many, from 16 on.
    slow = hand_made(pace=0.98)
    assert [n for n in range(1, 40) if 0.02 * n < torch.atanh(torch.tensor(0.3))][-1] == 15
    assert reach(slow, 60) == 15
    assert reads_right(slow, [15, 16, 3]).tolist() == [True, False, True]
    assert memory(slow, 10)[:, 0].tolist() == pytest.approx(
        [*range(1, 11), *(10 - 0.98 * step for step in range(1, 11))], abs=1e-3
    )


def test_a_word_cut_short_is_not_ended():
    model = hand_made()
    read, _ = words("ab", [9])
    said = model(read)[0].argmax(dim=-1).tolist()
    assert said[9:] == [1] * 8 + [2]


@BOTH
@EACH
def test_side_by_side_each_network_computes_and_learns_as_if_alone(kind, letters):
    models = []
    for seed in range(3):
        torch.manual_seed(seed)
        models.append(CountingModel(letters, kind))
    read, _ = words(letters, [3, 5])
    for i, model in enumerate(models):
        torch.testing.assert_close(SideBySide(models)(read)[:, :, i], model(read))
    together = train_counters(letters, kind, networks=3, steps=4, longest=4)
    (alone,) = train_counters(letters, kind, networks=1, steps=4, longest=4)
    for name, weight in together[0].named_parameters():
        torch.testing.assert_close(weight, alone.get_parameter(name), atol=1e-4, rtol=1e-4)
        assert not torch.allclose(weight, together[1].get_parameter(name))


@BOTH
def test_training_learns_to_count_to_two(kind):
    (model,) = train_counters("ab", kind, networks=1, steps=150, longest=2)
    assert reads_right(model, [1, 2]).all()


@BOTH
def test_one_network_learns_to_count_to_two_while_one_looks_on(kind):
    torch.manual_seed(0)
    model = CountingModel("ab", kind)
    losses, heads = [], []
    for loss in learn_to_count(model, 150, longest=2, seed=0):
        losses.append(loss)
        heads.append(model.head.weight.clone())
    assert not any(torch.equal(*pair) for pair in pairwise(heads))  # a step for each loss
    assert len(losses) == 150
    assert losses[-1] < 0.2 * losses[0]
    assert reads_right(model, [1, 2]).all()


def test_the_unit_that_counts_is_found():
    noise = torch.randn(12, 4, generator=torch.Generator().manual_seed(0))
    noise[:, 3] = 5 - 2 * torch.tensor([1.0, 2, 3, 4, 3, 2, 1, 0, 0, 0, 0, 0])  # a, then b
    noise[:, 0] = torch.tensor([0.0, 0, 0, 0, 1, 2, 3, 4, 3, 2, 1, 0])  # b, then c
    noise[:, 1] = 7  # a unit that never moves follows nothing
    assert best_units(noise, "abc") == [(3, pytest.approx(-1)), (0, pytest.approx(1))]


@BOTH
def test_noise_moves_each_weight_by_its_own_draw_and_leaves_no_trace(kind):
    """Against a plain model whose weights get the same draws by hand."""
    models = [CountingModel("ab", kind) for _ in range(2)]
    together, (read, _) = SideBySide(models), words("ab", [3, 5])
    before = [weight.clone() for weight in together.parameters()]
    shakes = [torch.Generator().manual_seed(seed) for seed in (7, 8)]
    disturbed = together.disturbed(read, 0.1, shakes)
    for i, seed in enumerate((7, 8)):
        generator = torch.Generator().manual_seed(seed)
        for name, weight in models[i].named_parameters():
            share = together.share(name, together.get_parameter(name).data, i)
            draw = torch.randn(share.shape, generator=generator).reshape(weight.shape)
            weight.data += 0.1 * draw
        torch.testing.assert_close(disturbed[:, :, i], models[i](read))
    for weight, kept in zip(together.parameters(), before, strict=True):
        assert torch.equal(weight, kept)
    torch.testing.assert_close(together.disturbed(read, 0.0, shakes), together(read))


@BOTH
@pytest.mark.usefixtures("unchecked")
def test_a_saved_network_comes_back(kind, tmp_path):
    model = CountingModel("abc", kind).eval()
    save_checkpoint(tmp_path / f"count_{kind}_abc.safetensors", model, {"letters": "abc", "kind": kind})
    loaded = load_counter("abc", kind, tmp_path)
    read, _ = words("abc", [6])
    torch.testing.assert_close(loaded(read), model(read), atol=5e-3, rtol=5e-3)
    with pytest.raises(ValueError, match="kind is 'rnn'; allowed are 'lstm', 'gru'"):
        CountingModel("ab", "rnn")


def test_the_network_of_median_reach_is_kept(tmp_path, monkeypatch):
    def made(letters, kind, noise=1.0):
        return [hand_made(pace=pace) for pace in ((0.98, 1.0, 0.9) if noise else (0.9, 0.9, 0.98))]

    monkeypatch.setattr(counting, "train_counters", made)
    monkeypatch.setattr(counting, "FARTHEST", 60)
    monkeypatch.setattr(counting, "reach", partial(reach, farthest=60))
    found = {r.id: r for r in count("lstm", "ab", tmp_path / "count_lstm_ab.safetensors")}
    assert [found[f"counting-lstm-ab{what}"].value for what in ("-lowest", "", "-highest")] == [3, 15, 60]
    assert [found[f"counting-lstm-ab-still{what}"].value for what in ("-lowest", "", "-highest")] == [
        3,
        3,
        15,
    ]
    assert found["counting-lstm-ab"].published == 256
    assert reach(load_counter("ab", "lstm", tmp_path), 60) == 15
    learned = (min(3, LONGEST) + min(15, LONGEST) + LONGEST) / 3 / LONGEST
    assert found["counting-lstm-ab-learned"].value == pytest.approx(learned, abs=1e-4)


@BOTH
@EACH
def test_the_register_tells_what_the_shipped_network_does(kind, letters):
    claimed = result(f"counting-{kind}-{letters}").value
    assert result(f"counting-{kind}-{letters}-lowest").value <= claimed
    assert claimed <= result(f"counting-{kind}-{letters}-highest").value
    # Other processors round otherwise, and at the border a rounding decides.
    assert reach(load_counter(letters, kind), int(claimed) + 10) == pytest.approx(claimed, abs=2)


def test_noise_teaches_lstms_to_count_and_breaks_grus():
    for letters in LANGUAGES:
        assert result(f"counting-lstm-{letters}").value > 2 * LONGEST
        assert (
            result(f"counting-lstm-{letters}-lowest").value > result(f"counting-gru-{letters}-highest").value
        )
        assert (
            result(f"counting-gru-{letters}").value < LONGEST < result(f"counting-gru-{letters}-still").value
        )
