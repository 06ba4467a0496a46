"""What is timed side by side must compute the same; times themselves are not tested."""

from functools import partial

import pytest
import torch
from torch import nn

from course_experiments.attention.cost_of_layers import cost_over_length, layers_to_meet, peak_memory
from course_experiments.speed import attention, memory, visual
from course_experiments.speed.attention import write_cached, write_uncached
from course_experiments.speed.harness import Benchmark
from course_experiments.speed.recurrent import recurrent_layer
from course_experiments.speed.vision import binary_product, convolution
from course_lib.seq2seq.transformer import Transformer

SMALL = (
    partial(attention.multi_head_attention, True, batch=2, length=5, rounds=1),
    partial(attention.multi_head_attention, False, batch=2, length=5, rounds=1),
    partial(attention.transformer_step, batch=2, length=8, rounds=1),
    partial(attention.cached_decoding, 4, batch=2, rounds=1),
    *(
        partial(recurrent_layer, kind, batch=2, steps=5, size=8, rounds=1)
        for kind in (nn.RNN, nn.LSTM, nn.GRU)
    ),
    partial(convolution, batch=2, channels=4, size=8, rounds=1),
    partial(memory.memory_network, batch=2, sentences=3, rounds=1),
    partial(memory.turing_machine, batch=2, steps=4, rows=5, rounds=1),
    partial(memory.neural_computer, batch=2, steps=4, rows=5, rounds=1),
    partial(memory.dynamic_network, batch=2, sentences=3, rounds=1),
    partial(visual.line_reader, batch=2, width=48, labels=4, rounds=1),
    partial(visual.captioner, batch=2, places=5, words=3, rounds=1),
    partial(visual.captioner, "hard", batch=4, places=5, words=3, rounds=1),
    partial(visual.describer, batch=2, frames=3, words=3, rounds=1),
    partial(visual.glimpses, batch=2, side=20, rounds=1),
    partial(visual.draw, batch=2, side=9, rounds=1),
    partial(binary_product, places=3, outputs=4, seen=70, rounds=1),
)
NAMES = (
    *("weights", "no weights", "transformer", "cache", "rnn", "lstm", "gru", "convolution"),
    *("memory network", "Turing machine", "neural computer", "dynamic memory"),
    *("line reader", "captioner", "captioner hard", "describer", "glimpses", "DRAW", "bits"),
)


@pytest.mark.parametrize(
    "benchmark",
    SMALL,
    ids=NAMES,
)
def test_both_sides_of_a_benchmark_agree(benchmark: partial[Benchmark]) -> None:
    assert benchmark().ours > 0  # it raises where the two results differ


def test_other_weights_stop_a_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "copy_attention", lambda theirs, ours: None)
    for benchmark in SMALL[:3]:
        with pytest.raises(RuntimeError, match="results differ by"):
            benchmark()


def test_the_cache_changes_no_token() -> None:
    torch.manual_seed(1)
    model = Transformer(50, 16, 2, 2, 32).eval()
    source = attention.sentences(3, 8, 50)
    assert torch.equal(write_cached(model, source, 9), write_uncached(model, source, 9))


def test_peak_memory_counts_what_is_alive_at_once() -> None:
    def work() -> None:
        first = torch.ones(1000)
        second = first + 1
        del first
        second + 1

    assert 8_000 <= peak_memory(work) < 8_100  # two of them and a few numbers, never all three


def test_attention_memory_grows_with_the_square_of_the_length_and_others_in_proportion() -> None:
    costs = {(c.layer, c.length): c for c in cost_over_length((256, 1024), size=16, rounds=1)}
    growth = {
        name: costs[name, 1024].peak_bytes / costs[name, 256].peak_bytes
        for name in ("RNN", "CNN", "self-attention")
    }
    assert growth["self-attention"] > 12  # towards 16
    assert 3 < growth["CNN"] < 5 and 3 < growth["RNN"] < 5


@pytest.mark.parametrize("length", [2, 3, 16, 17, 20])
def test_far_words_meet_after_as_many_layers_as_the_fields_of_view_say(length):
    """One word more to each side a layer; or 1, 2, 4, … more, so that L layers see 2ᴸ − 1."""
    dilated = next(layers for layers in range(10) if 2**layers >= length)
    assert layers_to_meet(length) == {
        "RNN": 1,
        "CNN": length - 1,
        "CNN, dilated": dilated,
        "self-attention": 1,
    }


def test_one_word_has_no_far_one():
    with pytest.raises(ValueError, match="length is 1; allowed is 2 or more"):
        layers_to_meet(1)
