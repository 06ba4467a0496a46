"""What a stranger may hand to a recurrent layer: a clear error, or a result that is defined."""

import math

import pytest
import torch

from course_lib.memory.hopfield import modern_energy, modern_update, recall, store
from course_lib.recurrent import (
    GRU,
    LSTM,
    LSTMN,
    RNN,
    TCN,
    AttentiveRNN,
    CausalConv,
    ClockworkRNN,
    ConvLSTM,
    CoupledLSTM,
    DelayedRNN,
    HierarchicalRNN,
    LearnedInitialState,
    MultiplicativeRNN,
    OneToMany,
    PaperGRU,
    PeepholeLSTM,
    Stacked,
    chunks,
    loss_and_penalty,
    spectral_radius,
    state_gradients,
    step_loss,
    streams,
    truncated_losses,
    with_spectral_radius,
)
from course_lib.recurrent.bptt import Weights, forward
from course_lib.text.vocabulary import CharacterVocabulary

pytestmark = pytest.mark.usefixtures("unchecked")

LAYERS = [
    RNN,
    LSTM,
    PeepholeLSTM,
    CoupledLSTM,
    GRU,
    PaperGRU,
    MultiplicativeRNN,
    DelayedRNN,
    ClockworkRNN,
]


@pytest.mark.parametrize("layer", LAYERS)
def test_a_length_of_zero_and_a_state_of_another_size_are_refused(layer):
    model, inputs = layer(3, 4), torch.randn(2, 5, 3)
    for reader in (model, LearnedInitialState(model)):
        with pytest.raises(ValueError, match=r"lengths are \[5, 0\]; allowed are 1 to 5"):
            reader(inputs, None, torch.tensor([5, 0]))
        with pytest.raises(
            ValueError, match=rf"state has shapes .* allowed is {model.parts} time\(s\) \(2, 4\)"
        ):
            reader(inputs, tuple(part[:, :3] for part in model.zero_state(2)))


@pytest.mark.parametrize(
    ("lengths", "came"),
    [
        ([5, 2], "a list"),
        (torch.tensor([5.0, 2.5]), "a tensor of torch.float32"),
        (torch.ones(2) > 0, "bool"),
    ],
)
def test_lengths_that_are_no_whole_numbers_are_refused(lengths, came):
    for read in (LSTM(3, 4), Stacked(LSTM, 3, 4, 2, bidirectional=True)):
        with pytest.raises(TypeError, match=f"lengths are .*{came}.*; allowed is a tensor of whole numbers"):
            read(torch.randn(2, 5, 3), None, lengths)


def test_no_sequence_at_all_gives_none_back():
    model, inputs = Stacked(LSTM, 3, 4, 2, bidirectional=True), torch.zeros(0, 5, 3)
    for lengths in (None, torch.zeros(0, dtype=torch.long)):
        outputs, (h, c) = model(inputs, None, lengths)
        assert outputs.shape == (0, 5, 8) and h.shape == c.shape == (4, 0, 4)


@pytest.mark.parametrize("layer", LAYERS)
def test_a_nan_spoils_its_sequence_from_its_step_on_and_nothing_else(layer):
    torch.manual_seed(0)
    model, inputs = layer(3, 4), torch.randn(3, 6, 3)
    clean, _ = model(inputs)
    inputs[1, 4] = math.nan
    outputs, _ = model(inputs)
    assert outputs[1, 4:].isnan().any(dim=-1).all()
    outputs[1, 4:], clean[1, 4:] = 0, 0
    torch.testing.assert_close(outputs, clean)


@pytest.mark.parametrize("make", [RNN, LSTM, lambda i, h: TCN(i, h, 2), AttentiveRNN, LSTMN])
def test_inputs_of_another_size_or_without_steps_are_refused(make):
    model = make(3, 4)
    for shape in ((2, 5, 2), (5, 3), (2, 0, 3)):
        with pytest.raises(ValueError, match="inputs have"):
            model(torch.zeros(shape))


def test_words_above_characters_need_an_end_for_each_step():
    model, inputs = HierarchicalRNN(RNN(3 + 4, 5), RNN(5, 4)), torch.randn(2, 6, 3)
    for ends in (torch.ones(2, 5, dtype=torch.bool), torch.ones(2, 6)):
        with pytest.raises(ValueError, match=r"ends has dtype .* allowed is torch.bool and \(2, 6\)"):
            model(inputs, ends)
    with pytest.raises(ValueError, match=r"inputs have shape \(2, 6, 2\); allowed is \(batch, time, 3\)"):
        model(inputs[..., :2], torch.ones(2, 6, dtype=torch.bool))


def test_convolutions_without_channels_are_refused():
    for make, message in (
        (lambda: ConvLSTM(0, 2, 3, (4, 4)), "input_size is 0; allowed is 1 or more"),
        (lambda: ConvLSTM(1, 0, 3, (4, 4)), "hidden_size is 0"),
        (lambda: CausalConv(0, 2, 3), "input_size is 0"),
        (lambda: TCN(1, 0, 2), "output_size is 0"),
    ):
        with pytest.raises(ValueError, match=message):
            make()


def test_gradients_are_asked_of_what_the_layer_reads():
    layer = RNN(3, 4)
    for ask in (state_gradients, loss_and_penalty):
        for shape in ((2, 5, 7), (2, 0, 3)):
            with pytest.raises(ValueError, match="inputs have"):
                ask(layer, torch.zeros(shape), lambda states: states.sum())
    with pytest.raises(ValueError, match="state has shapes"):
        state_gradients(layer, torch.zeros(2, 5, 3), lambda states: states.sum(), (torch.zeros(2, 3),))


def test_the_way_there_by_hand_refuses_what_does_not_fit():
    weights = Weights(*(torch.randn(size) for size in ((3, 4), (3, 3), (5, 3), (3,), (2, 3))))
    inputs, targets = torch.randn(2, 6, 4), torch.randint(5, (2, 6))
    for wrong, message in (
        (
            (weights, inputs[..., :3], targets),
            r"inputs have shape \(2, 6, 3\); allowed is \(batch, time, 4\)",
        ),
        ((weights, inputs[:, :0], targets[:, :0]), "inputs have 0 steps"),
        ((weights, inputs, targets[:, :3]), r"targets have shape \(2, 3\); allowed is \(2, 6\)"),
        ((weights, inputs, targets.where(targets > 9, 5)), "targets hold 5; allowed are 0 to 4"),
        ((weights, inputs, targets.where(targets > 9, -1)), "targets hold -1"),
        ((weights._replace(h_0=torch.zeros(1, 3)), inputs, targets), r"state has shapes \[\(1, 3\)\]"),
    ):
        with pytest.raises(ValueError, match=message):
            forward(*wrong)


def test_the_loss_refuses_lengths_and_classes_that_do_not_exist():
    logits, targets = torch.randn(2, 3, 4), torch.zeros(2, 3, dtype=torch.long)
    for lengths in ([0, 0], [0, 3], [9, 3]):
        with pytest.raises(ValueError, match="allowed are 1 to 3"):
            step_loss(logits, targets, torch.tensor(lengths))
    with pytest.raises(ValueError, match="targets hold 9; allowed are 0 to 3"):
        step_loss(logits, targets + 9, torch.tensor([3, 3]))


def test_one_to_many_reads_and_writes_its_classes_only():
    model = OneToMany(3, RNN(5, 4), 5)
    with pytest.raises(ValueError, match="targets hold 7; allowed are 0 to 4"):
        model(torch.randn(1, 3), torch.tensor([[1, 7, 0]]))
    with pytest.raises(ValueError, match="steps is 0; allowed is 1 or more"):
        model.generate(torch.randn(1, 3), 0)


def test_a_matrix_of_zeros_has_radius_zero_and_takes_no_other():
    assert spectral_radius(torch.zeros(3, 3)) == 0
    with pytest.raises(ValueError, match="matrix has spectral radius 0; no scale"):
        with_spectral_radius(torch.zeros(3, 3), 0.9)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (torch.full((3, 3), math.nan), "holds a NaN or an infinity"),
        (torch.full((3, 3), math.inf), "holds a NaN or an infinity"),
        (torch.ones(2, 3), r"has shape \(2, 3\); allowed is \(size, size\)"),
        (torch.ones(0, 0), r"has shape \(0, 0\)"),
    ],
)
def test_a_matrix_without_a_radius_is_refused(matrix, message):
    with pytest.raises(ValueError, match=f"matrix {message}"):
        spectral_radius(matrix)


def test_a_text_shorter_than_one_chunk_is_one_chunk():
    text = torch.arange(5)
    [(inputs, targets)] = chunks(streams(text, 1), 100)
    assert inputs.tolist() == [[0, 1, 2, 3]] and targets.tolist() == [[1, 2, 3, 4]]
    losses = truncated_losses(lambda x, y, state: ((y - x).sum(), state), streams(text, 1), 100, ())
    assert [int(loss) for loss in losses] == [4]


def test_a_text_without_a_next_token_is_refused():
    with pytest.raises(ValueError, match=r"parallel has 1 step\(s\); allowed is 2 or more"):
        next(chunks(torch.zeros(3, 1, dtype=torch.long), 10))
    with pytest.raises(ValueError, match=r"tokens are 1; 1 stream\(s\) need 2 or more"):
        streams(torch.arange(1), 1)
    with pytest.raises(ValueError, match=r"tokens have shape \(3, 4\); allowed is one sequence"):
        streams(torch.zeros(3, 4, dtype=torch.long), 1)


def test_a_character_outside_the_vocabulary_is_named():
    with pytest.raises(ValueError, match=r"text has the characters \['é'\]"):
        CharacterVocabulary("abc").encode("abé")


def test_a_memory_refuses_patterns_and_states_that_do_not_fit():
    W = store(torch.tensor([[1.0, -1, 1]]))
    chance = torch.Generator().manual_seed(0)
    with pytest.raises(ValueError, match=r"weights have shape \(3, 3\) for a state of 4 units"):
        recall(W, torch.ones(4), chance)
    with pytest.raises(ValueError, match=r"patterns have shape \(3,\)"):
        store(torch.ones(3))
    for ask in (modern_update, modern_energy):
        for patterns in (torch.ones(0, 3), torch.ones(2, 4)):
            with pytest.raises(ValueError, match=r"patterns have shape .* allowed is \(1 or more, 3\)"):
                ask(torch.ones(3), patterns, 1.0)
        for beta in (0.0, -1.0, math.nan, math.inf):
            with pytest.raises(ValueError, match="allowed is above 0 and finite"):
                ask(torch.ones(3), torch.ones(2, 3), beta)
