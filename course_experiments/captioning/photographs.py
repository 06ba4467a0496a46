"""Captions of photographs, on the frozen maps of a network that has seen ImageNet.

Seven photographs are far too few to learn to describe one, and so are 99. A captioner learns them by heart.
To show that, it is also trained without some of them, and asked about those.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from course_experiments.protocol import Experiment, measuring
from course_experiments.results import Measurement
from course_lib.applications.captioner import write_captions
from course_lib.data import load_all_photographs, load_photographs
from course_lib.data.photographs import NUMBERS, Photograph
from course_lib.data.special import PAD
from course_lib.metrics.text import letter_runs
from course_lib.training.loop import train_steps
from course_lib.vision import load_pretrained, photograph_pixels
from course_lib.visual_attention import Captioner, caption_decoder

LAYER = "block10"  # a lower layer: 14×14 places, 112 numbers at each
GRID, FEATURES = 14, 112
EMBEDDING, HIDDEN, ATTENTION = 48, 64, 32
PASSES, BATCH, RATE = 120, 64, 1e-2
EVERY = 9  # of 99 photographs, each ninth is left out: eleven


def captions_in_words(photographs: Iterable[Photograph]) -> list[list[str]]:
    """Return the five captions of each photograph: small letters, no marks, spaces between words."""
    return [[" ".join(letter_runs(caption)) for caption in photograph.captions] for photograph in photographs]


@torch.no_grad()
def annotation_vectors(photographs: Iterable[Photograph]) -> Float[Tensor, "photographs places features"]:
    """Return what the pretrained network leaves of each photograph, scaled to a mean square of 1.

    Raises:
        ModuleNotFoundError: the extra `pretrained` is not installed.
    """
    network = load_pretrained()
    pixels = [photograph_pixels(photograph.image) for photograph in photographs]
    maps = torch.cat([network.maps(picture, LAYER) for picture in pixels])
    return (maps / maps.square().mean().sqrt()).flatten(2).transpose(1, 2)


def untrained(seed: int, told: Sequence[Sequence[str]]) -> Captioner:
    """Return a captioner with soft attention that knows the words of all captions."""
    torch.manual_seed(seed)
    words = sorted({word for captions in told for caption in captions for word in caption.split()})
    decoder = caption_decoder("soft", GRID, FEATURES, EMBEDDING, HIDDEN, ATTENTION)
    return Captioner(nn.Identity(), decoder, words, EMBEDDING)


def memorise(
    captioner: Captioner, annotations: Tensor, told: Sequence[Sequence[str]], passes: int = PASSES
) -> Iterator[float]:
    """Train on the captions of photographs; yield the nats a word of each step.

    Args:
        captioner: is trained in place.
        annotations: of the photographs.
        told: captions of each.
        passes: over all captions.
    """
    numbers = torch.tensor([i for i, captions in enumerate(told) for _ in captions])
    tokens = captioner.encode([caption for captions in told for caption in captions])

    def losses() -> Iterator[Tensor]:
        for _ in range(passes):
            for some in torch.randperm(len(tokens)).split(BATCH):
                run = captioner(annotations[numbers[some]], tokens[some, :-1])
                following = tokens[some, 1:]
                yield functional.cross_entropy(run.logits.transpose(1, 2), following, ignore_index=PAD)

    optimizer = torch.optim.Adam(captioner.parameters(), RATE)
    steps = passes * math.ceil(len(tokens) / BATCH)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, steps)
    yield from train_steps(losses(), optimizer, clip=1.0, scheduler=scheduler)


def by_heart(captioner: Captioner, annotations: Tensor, told: Sequence[Sequence[str]]) -> float:
    """Return for what share of photographs the captioner says one of their captions word by word."""
    said = write_captions(captioner, annotations)
    return fmean(caption in captions for caption, captions in zip(said, told, strict=True))


def shared_words(captioner: Captioner, annotations: Tensor, told: Sequence[Sequence[str]]) -> float:
    """Return what share of the words said stand in any caption of their photograph."""
    shares = []
    for caption, captions in zip(write_captions(captioner, annotations), told, strict=True):
        known = {word for each in captions for word in each.split()}
        shares.append(fmean(word in known for word in caption.split()) if caption else 0.0)
    return fmean(shares)


def told_and_asked(
    annotations: Tensor, told: Sequence[Sequence[str]], learnt: Sequence[int], asked: Sequence[int]
) -> tuple[float, float]:
    """Train on some photographs; return `by_heart` and `shared_words` of others, or of the same."""
    captioner = untrained(0, told)
    for _ in memorise(captioner, annotations[list(learnt)], [told[i] for i in learnt]):
        pass
    others = annotations[list(asked)], [told[i] for i in asked]
    return by_heart(captioner, *others), shared_words(captioner, *others)


def measure() -> list[Measurement]:
    """Return how much is said by heart, and what is said of photographs that were left out."""
    found = []
    for name, photographs, apart in (
        ("seven", tuple(load_photographs().by_name.values()), [[i] for i in range(len(NUMBERS))]),
        ("all", load_all_photographs(), [list(range(0, len(load_all_photographs()), EVERY))]),
    ):
        annotations, told = annotation_vectors(photographs), captions_in_words(photographs)
        everything = range(len(photographs))
        known = told_and_asked(annotations, told, everything, everything)
        runs = [
            told_and_asked(annotations, told, [i for i in everything if i not in left_out], left_out)
            for left_out in apart
        ]
        new = [fmean(values) for values in zip(*runs, strict=True)]
        for id, what, pair in (
            ("exact", "% said word by word as one of their five captions", (known[0], new[0])),
            ("words", "% of the words said that stand in one of their captions", (known[1], new[1])),
        ):
            for which, value in zip(("trained-on", "left-out"), pair, strict=True):
                metric = f"{len(photographs)} photographs, {which.replace('-', ' ')}: {what}"
                id_of = f"photographs-{name}-{which}-{id}"
                found.append(Measurement(id_of, "photographs", metric, 100 * value))
    return found


EXPERIMENTS = [Experiment("photographs", "captions of photographs, learnt by heart", 12, measuring(measure))]
