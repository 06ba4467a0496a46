"""Our speed beside that of another implementation of the same thing, measured in the same run.

Absolute times differ from machine to machine; the ratio is what has a target.
"""

from collections.abc import Callable
from functools import partial

from torch import nn

from course_experiments.speed.attention import cached_decoding, multi_head_attention, transformer_step
from course_experiments.speed.harness import Benchmark
from course_experiments.speed.memory import (
    dynamic_network,
    memory_network,
    neural_computer,
    turing_machine,
)
from course_experiments.speed.pieces import byte_pair_encoding
from course_experiments.speed.recurrent import recurrent_layer
from course_experiments.speed.vision import binary_product, convolution
from course_experiments.speed.visual import captioner, describer, draw, glimpses, line_reader


def echo_state_network() -> Benchmark:
    """Compare with reservoirpy; see `beside_reservoirpy.echo_state_network`."""
    from course_experiments.reservoir import beside_reservoirpy

    return beside_reservoirpy.echo_state_network()


def word_vectors() -> Benchmark:
    """Compare with gensim; see `beside_gensim.word_vectors`."""
    from course_experiments.words import beside_gensim

    return beside_gensim.word_vectors()


BENCHMARKS: dict[str, Callable[[], Benchmark]] = {
    "bpe": byte_pair_encoding,
    "attention-no-weights": partial(multi_head_attention, need_weights=False),
    "attention-weights": partial(multi_head_attention, need_weights=True),
    "transformer-step": transformer_step,
    **{kind.__name__.lower(): partial(recurrent_layer, kind) for kind in (nn.RNN, nn.LSTM, nn.GRU)},
    **{f"cache-{length}": partial(cached_decoding, length) for length in (16, 32, 64, 128)},
    "convolution": convolution,
    "memory-network": memory_network,
    "turing-machine": turing_machine,
    "neural-computer": neural_computer,
    "dynamic-memory": dynamic_network,
    "line-reader": line_reader,
    "captioner": captioner,
    "captioner-hard": partial(captioner, "hard"),
    "describer": describer,
    "glimpses": glimpses,
    "draw": draw,
    "binary-product": binary_product,
    "echo-state": echo_state_network,
    "word-vectors": word_vectors,
}
