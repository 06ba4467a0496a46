"""Models make nothing on torch's default device: what they compute follows their input and their weights."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from course_lib.applications.contextual_reader import load_reader as load_contextual_reader
from course_lib.applications.translator import load_translator
from course_lib.applications.word_reader import load_reader as load_word_reader
from course_lib.applications.word_reader import read as read_words
from course_lib.decoding import BlockRepeats, LengthPenalty, Recorder, SearchProblem, beam_search
from course_lib.recurrent import (
    GRU,
    LSTM,
    LSTMN,
    RNN,
    TCN,
    ClockworkRNN,
    ConvLSTM,
    CoupledLSTM,
    DelayedRNN,
    HierarchicalRNN,
    MultiplicativeRNN,
    PaperGRU,
    PeepholeLSTM,
    Stacked,
)
from course_lib.recurrent.language_model import LanguageModel
from course_lib.seq2seq import (
    DECODERS,
    GNMT,
    CharacterDecoder,
    ConvS2S,
    EncoderDecoder,
    Sutskever,
    Transformer,
)

SOURCE = torch.tensor([[4, 5, 6, 2], [7, 2, 0, 0]])
TARGET = torch.tensor([[1, 4, 5], [1, 6, 0]])

TRANSLATORS: dict[str, Callable[[], nn.Module]] = {
    **{name: (lambda name=name: EncoderDecoder(name, 9, 4, 6)) for name in DECODERS},
    "sutskever": lambda: Sutskever(9, 4, 6, 2),
    "gnmt": lambda: GNMT(9, 4, 6, 3),
    "convs2s": lambda: ConvS2S(9, 4, 2, 3),
    "character": lambda: CharacterDecoder(9, 9, 4, 4, 6),
    **{
        f"transformer {norm} {positions}": (
            lambda norm=norm, positions=positions: Transformer(9, 8, 2, 2, 16, norm=norm, positions=positions)
        )
        for norm in ("pre", "post")
        for positions in ("sinusoidal", "learned", "none")
    },
}
READERS: dict[str, Callable[[], nn.Module]] = {
    **{
        layer.__name__: (lambda layer=layer: layer(3, 4))
        for layer in (
            RNN,
            LSTM,
            GRU,
            PaperGRU,
            CoupledLSTM,
            PeepholeLSTM,
            LSTMN,
            MultiplicativeRNN,
            ClockworkRNN,
        )
    },
    "DelayedRNN": lambda: DelayedRNN(3, 4, (2, 3)),
    "Stacked": lambda: Stacked(LSTM, 3, 4, layers=2, bidirectional=True),
    "TCN": lambda: TCN(3, 4, 2),
    "HierarchicalRNN": lambda: HierarchicalRNN(GRU(7, 4), GRU(4, 4)),
    "ConvLSTM": lambda: ConvLSTM(3, 4, 3, (5, 5)),
}


def read(model: nn.Module, device: str = "cpu", dtype: torch.dtype = torch.float32, batch: int = 2) -> Any:
    """What a reader makes of two sequences."""
    model = model.to(dtype)
    if isinstance(model, ConvLSTM):
        return model(torch.ones(batch, 6, 3, 5, 5, device=device, dtype=dtype))
    inputs = torch.ones(batch, 6, 3, device=device, dtype=dtype)
    if isinstance(model, HierarchicalRNN):
        return model(inputs, torch.ones(batch, 6, device=device, dtype=torch.bool))
    return model(inputs)


def tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    return [tensor for part in value or () for tensor in tensors(part)]


def on_meta(build: Callable[[], nn.Module]) -> nn.Module:
    """The model where there are shapes and no numbers; anything made elsewhere does not mix with it."""
    return build().to("meta")


@pytest.mark.parametrize("name", TRANSLATORS)
def test_a_translator_follows_its_inputs_device_and_type(name: str) -> None:
    build = TRANSLATORS[name]
    logits, _ = on_meta(build)(SOURCE.to("meta"), TARGET.to("meta"))
    assert logits.is_meta and logits.shape == (2, 3, 9)
    half = build().to(torch.bfloat16)
    found = tensors(half(SOURCE, TARGET))
    assert {tensor.dtype for tensor in found} == {torch.bfloat16}
    assert all(tensor.isfinite().all() for tensor in found)
    model = build()
    with torch.device("meta"):  # the default; what forgets to say where comes to lie here
        assert all(not tensor.is_meta for tensor in tensors(model(SOURCE, TARGET)))
        step = model.step(TARGET[:, 0], model.start(SOURCE))
        assert not step.evidence.is_meta


@pytest.mark.parametrize("name", TRANSLATORS)
def test_an_empty_batch_of_sentences_gives_an_empty_result(name: str) -> None:
    logits, weights = TRANSLATORS[name]()(SOURCE[:0], TARGET[:0])
    assert logits.shape == (0, 3, 9) and (weights is None or len(weights) == 0)


@pytest.mark.parametrize("name", READERS)
def test_a_reader_follows_its_inputs_device_and_type(name: str) -> None:
    build = READERS[name]
    found = tensors(read(on_meta(build), "meta"))
    assert found and all(tensor.is_meta for tensor in found)
    half = tensors(read(build(), dtype=torch.bfloat16))
    assert {tensor.dtype for tensor in half} == {torch.bfloat16}
    model = build()
    inputs = torch.ones(2, 6, 3)
    if name not in ("HierarchicalRNN", "ConvLSTM"):
        with torch.device("meta"):
            assert all(not tensor.is_meta for tensor in tensors(model(inputs)))


@pytest.mark.parametrize("name", READERS)
def test_an_empty_batch_of_sequences_gives_an_empty_result(name: str) -> None:
    found = tensors(read(READERS[name](), batch=0))
    assert found and all(0 in tensor.shape for tensor in found)


def test_a_slow_clock_keeps_its_rhythm_in_half_precision() -> None:
    """bfloat16 knows no whole number between 256 and 258."""
    model = ClockworkRNN(1, 8, groups=4).to(torch.bfloat16)
    states, _ = model(torch.ones(1, 600, 1, dtype=torch.bfloat16))
    quiet = (states[0, 1:] == states[0, :-1]).all(dim=-1)
    slow = states[0, :, 6:]
    moved = ((slow[1:] != slow[:-1]).any(dim=-1).nonzero().flatten() + 1).tolist()
    assert not quiet.all() and all(step % 8 == 0 for step in moved)
    counted = model(torch.ones(1, 300, 1, dtype=torch.bfloat16))[1][1]
    assert (counted == 300 % 8).all()


@pytest.mark.parametrize("name", ["transformer pre sinusoidal", "transformer post learned", "convs2s"])
def test_a_translators_graph_has_no_branch_that_numbers_decide(name: str, unchecked: None) -> None:
    model = TRANSLATORS[name]().eval()
    exported = torch.export.export(model, (SOURCE, TARGET))
    other = torch.tensor([[5, 2, 0, 0], [8, 7, 6, 2]])  # of other lengths
    assert torch.allclose(exported.module()(other, TARGET)[0], model(other, TARGET)[0], atol=1e-6)


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_a_layers_graph_has_no_branch_that_numbers_decide(name: str, unchecked: None) -> None:
    model, inputs = READERS[name]().eval(), torch.rand(2, 4, 3, generator=torch.Generator().manual_seed(0))
    exported = torch.export.export(model, (inputs, None, torch.tensor([4, 2])))
    other = torch.tensor([1, 3])
    assert torch.allclose(exported.module()(inputs, None, other)[0], model(inputs, None, other)[0])


def test_a_language_model_follows_its_input() -> None:
    model = LanguageModel(9, 6).to("meta")
    assert tensors(model(TARGET.to("meta")))[0].is_meta


@pytest.mark.parametrize("name", ["bahdanau", "transformer"])
def test_translation_and_its_records_follow_the_model(name: str) -> None:
    translator = load_translator(name)
    text = "I am cold."
    wanted = translator.translate([text], beam_size=2)[0].text
    problem = SearchProblem.translation(translator, text, max_length=4)
    step, state = BlockRepeats(translator.step, 2), translator.start([text])
    with torch.device("meta"):
        assert translator.translate([text], beam_size=2)[0].text == wanted
        trace = translator.attention_trace(text)
        recorded = Recorder(problem).search(2)
        first = torch.tensor([translator.bos_id], device="cpu")
        beam_search(step, step.start(state), first, translator.eos_id, 4, 2, LengthPenalty())
    assert trace.weights.sum() > 0 and recorded.source == text


def test_what_readers_read_follows_the_model() -> None:
    reader, words = load_contextual_reader(), ["the", "bank"]
    tape, text = load_word_reader(), "she is here"
    vectors, weights = reader.vectors(words), read_words(tape, text).weights
    with torch.device("meta"):
        assert (reader.vectors(words) == vectors).all()
        assert (read_words(tape, text).weights == weights).all()


def test_no_sentence_to_translate_gives_no_translation() -> None:
    assert load_translator("transformer").translate([]) == []
