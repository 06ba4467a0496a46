"""A widget of each kind, as full as in a lecture: to see how fast it answers a reader."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import torch

from course_lib.data import load_fashion_mnist, load_tatoeba
from course_lib.data.mnist import load_mnist
from course_lib.decoding.lattice_record import record_lattice
from course_lib.text import BytePairEncoding
from course_lib.traces import (
    AttentionTrace,
    ConvolutionTrace,
    EmbeddingTrace,
    GateTrace,
    GradientTrace,
    MemoryTrace,
    OverlayTrace,
    ReservoirTrace,
    SegmentationTrace,
)
from course_lib.widgets.attention_heatmap import AttentionHeatmap
from course_lib.widgets.beam_tree import BeamTree
from course_lib.widgets.convolution_explorer import ConvolutionExplorer
from course_lib.widgets.gate_inspector import GateInspector
from course_lib.widgets.gradient_flow import GradientFlow
from course_lib.widgets.lattice import LatticeView
from course_lib.widgets.memory_film import MemoryFilm
from course_lib.widgets.overlay import OverlayView
from course_lib.widgets.reservoir_activity import ReservoirActivity
from course_lib.widgets.segmentation_explorer import SegmentationExplorer
from course_lib.widgets.shared.base import TraceWidget
from course_lib.widgets.tsne_map import TSNEMap

CANVAS = "canvas[role=application]"


class Act(NamedTuple):
    """Something a reader does."""

    selector: str  # of the element, inside the widget
    how: str  # "click", "slide" one step on, or a key; several keys take turns


@dataclass(frozen=True)
class Sample:
    """A widget, and what a reader changes in it.

    Args:
        name: in `SAMPLES`.
        about: its size in words.
        make: returns the widget.
        acts: what is changed -> how.
        film: selector of the button that plays a film; "" where there is none.
    """

    name: str
    about: str
    make: Callable[[], TraceWidget]
    acts: Mapping[str, Act]
    film: str = ""


def heatmap(layers: int, heads: int, tokens: int) -> AttentionHeatmap:
    """Return self-attention of random scores."""
    scores = np.random.default_rng(0).normal(size=(layers, heads, tokens, tokens))
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    names = tuple(f"w{i}" for i in range(tokens))
    return AttentionHeatmap(AttentionTrace(weights, names, names))


def beam_tree(beam_size: int, steps: int) -> BeamTree:
    """Return a search through random probabilities of thirty tokens; none of them ends a string."""
    table = np.random.default_rng(0).random((steps, 30))
    return BeamTree.from_table(table, weights=True, beam_size=beam_size, kind="average")


def map_of_points(points: int, frames: int = 50) -> TSNEMap:
    """Return digits that drift from one random layout to another, each with its picture."""
    generator = np.random.default_rng(0)
    digits = load_mnist().test
    start, end = generator.normal(size=(2, points, 2))
    return TSNEMap(
        EmbeddingTrace(
            frames=np.stack([start + (end - start) * share for share in np.linspace(0, 1, frames)]),
            iterations=np.arange(frames) * 10,
            kl=np.linspace(2, 1, frames),
            labels=tuple(f"#{i}" for i in range(points)),
            groups=tuple(map(str, digits.labels[:points])),
            perplexity=30.0,
            neighbours_kept=0.5,
            neighbours=(np.arange(points)[:, None] + np.arange(1, 11)) % points,
            pictures=digits.images[:points],
        )
    )


def gate_inspector(characters: int, units: int) -> GateInspector:
    """Return random gates of an LSTM."""
    values = np.random.default_rng(0).uniform(0.1, 0.9, (6, characters, units))
    quantities = ("input", "forget", "output", "candidate", "cell", "hidden")
    return GateInspector(GateTrace(values, quantities, tuple("sequences " * (characters // 10))))


def convolution(pictures: int) -> ConvolutionExplorer:
    """Return clothes and random kernels of 5×5."""
    clothes = load_fashion_mnist().test
    names = tuple(f"picture {i}" for i in range(pictures))
    kernels = np.random.default_rng(0).normal(size=(2, 5, 5))
    return ConvolutionExplorer(
        ConvolutionTrace(clothes.images[:pictures] / 255, names, kernels, ("one", "another"))
    )


def gradient_flow(steps: int) -> GradientFlow:
    """Return a gradient that shrinks on its way back, one that stays and one that grows, of every loss."""
    back = np.arange(steps)[:, None] - np.arange(steps)
    slopes = (-0.1, 0.0, 0.1)
    logs = np.array([np.where(back < 0, -np.inf, slope * back) for slope in slopes])
    return GradientFlow(
        GradientTrace(
            logs,
            ("shrinks", "stays", "grows"),
            np.arange(steps),
            np.full(3, 32),
            tuple("ab" * (steps // 2)),
        )
    )


def lattice_view(steps: int, labels: int) -> LatticeView:
    """Return noise, and the lattices of two labellings on it, below a picture of noise."""
    said = torch.randn(steps, 30, generator=torch.Generator().manual_seed(0)).log_softmax(dim=1)
    labelling = [1 + i % 29 for i in range(labels)]
    picture = np.random.default_rng(0).integers(0, 256, (40, 4 * steps), np.uint8)
    classes = ["∅", *(chr(97 + i) for i in range(29))]
    return LatticeView(record_lattice(said, [labelling, labelling[1:]], classes, picture))


def memory_film(steps: int, rows: int, size: int = 16) -> MemoryFilm:
    """Return a tape of random numbers that is written row by row, and read one row behind."""
    write = np.eye(rows)[np.arange(steps) % rows]
    numbers = np.random.default_rng(0).normal(size=(rows, size))
    held = np.minimum(np.cumsum(write, axis=0), 1)[..., None] * numbers
    seen = np.random.default_rng(0).random((steps, 8))
    labels = tuple(f"s{i}" for i in range(steps))
    return MemoryFilm(MemoryTrace(write, np.roll(write, -1, axis=1), held, seen, seen, labels))


def overlay(steps: int, kinds: int, side: int) -> OverlayView:
    """Return two pictures of noise with random maps of 7×7 on them."""
    generator = np.random.default_rng(0)
    pictures = generator.integers(0, 256, (2, side, side, 3), np.uint8)
    labels = tuple(f"s{i}" for i in range(steps))
    kind_names = tuple(f"kind {i}" for i in range(kinds))
    maps = generator.random((2, steps, kinds, 7, 7))
    return OverlayView(OverlayTrace(pictures, ("one", "another"), maps, (labels, labels), kind_names))


def reservoir(steps: int, units: int) -> ReservoirActivity:
    """Return waves of different lengths."""
    time = np.arange(steps)[:, None]
    activity = np.sin(time / (5 + np.arange(units)))
    return ReservoirActivity(ReservoirTrace(activity, np.arange(units), np.sin(time / 9)))


def segmentation(characters: int) -> SegmentationExplorer:
    """Return three encodings of 4,000 merges, and Turkish sentences to cut."""
    french, turkish = load_tatoeba("fra").train[:12_000], load_tatoeba("tur").train[:12_000]
    texts = {
        "English": [pair.source for pair in french],
        "French": [pair.target for pair in french],
        "Turkish": [pair.target for pair in turkish],
    }
    traces = {name: SegmentationTrace.of(BytePairEncoding.train(of, 4000)) for name, of in texts.items()}
    return SegmentationExplorer(traces, text=" ".join(texts["Turkish"])[:characters])


STEP, UNIT = Act(CANVAS, "ArrowRight"), Act(CANVAS, "ArrowDown")
SAMPLES = {
    sample.name: sample
    for sample in (
        *(
            Sample(
                f"heatmap-{tokens}",
                f"attention heatmap of {layers} layers, {heads} heads, {tokens} tokens",
                partial(heatmap, layers, heads, tokens),
                {"head": Act(CANVAS, "h"), "layer": Act(CANVAS, "l"), "step": Act(CANVAS, "ArrowDown")},
            )
            for layers, heads, tokens in ((6, 8, 32), (6, 8, 128), (2, 2, 512))
        ),
        Sample(
            "beam-tree",
            "beam tree of width 8 over 12 steps",
            partial(beam_tree, 8, 12),
            {
                "step": Act("input[aria-label=Step]", "slide"),
                "node": Act("svg[role=tree]", "ArrowLeft ArrowRight"),
                "beam width": Act("input[aria-label='Beam width']", "slide"),
                "temperature": Act("input[aria-label=Temperature]", "slide"),
            },
        ),
        Sample(
            "tsne-map",
            "t-SNE map of 2,000 digits in 50 frames",
            partial(map_of_points, 2000),
            {
                "frame": Act("input[aria-label=Frame]", "slide"),
                "point": STEP,
                "choice of classes": Act(".map-legend button[data-name]", "click"),
            },
            film=".course-widget button[title^='Watch the map form']",
        ),
        Sample(
            "gate-inspector",
            "gate inspector, 200 characters and 64 units",
            partial(gate_inspector, 200, 64),
            {"step": STEP, "unit": UNIT},
        ),
        Sample(
            "convolution",
            "convolution explorer, pictures of 28×28 and kernels of 5×5",
            partial(convolution, 6),
            {
                "output": Act(CANVAS, "ArrowRight ArrowLeft"),
                "picture": Act(CANVAS, "i"),
                "dilation": Act(CANVAS, "d D"),
            },
        ),
        Sample(
            "gradient-flow",
            "gradient flow of three networks over 40 steps",
            partial(gradient_flow, 40),
            {"step": STEP, "loss": Act(CANVAS, "ArrowUp")},
        ),
        Sample(
            "lattice",
            "lattice view, 150 steps of 60 labels",
            partial(lattice_view, 150, 60),
            {"step": STEP, "map": Act(CANVAS, "m"), "labelling": Act(CANVAS, "l")},
        ),
        Sample(
            "memory-film",
            "memory film, 81 steps of 100 rows",
            partial(memory_film, 81, 100),
            {"step": Act(CANVAS, "ArrowLeft ArrowRight"), "row": Act(CANVAS, "ArrowDown")},
        ),
        Sample(
            "overlay",
            "overlay view, pictures of 224×224 with three maps",
            partial(overlay, 5, 3, 224),
            {"step": Act(CANVAS, "ArrowRight ArrowLeft"), "strength": Act("input[type=range]", "slide")},
        ),
        Sample(
            "reservoir",
            "reservoir activity, 600 steps of 100 units",
            partial(reservoir, 600, 100),
            {"step": STEP, "unit": UNIT},
        ),
        Sample(
            "segmentation",
            "segmentation explorer, 1,000 characters and three encodings of 4,000 merges",
            partial(segmentation, 1000),
            {"number of merges": Act("input[type=range]", "slide"), "word": STEP},
        ),
    )
}
