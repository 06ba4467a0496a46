"""Captions of seven photographs, on the frozen maps of a network that has seen ImageNet.

Seven photographs are far too few to learn to describe one. A captioner learns them by heart. To show that, it
is also trained on six of them, and asked about the seventh.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from course_experiments.protocol import Experiment, measuring
from course_experiments.results import Measurement
from course_lib.applications.captioner import write_captions
from course_lib.data import load_photographs
from course_lib.data.special import PAD
from course_lib.metrics.text import letter_runs
from course_lib.training.loop import train_steps
from course_lib.vision import load_pretrained, photograph_pixels
from course_lib.visual_attention import Captioner, caption_decoder

LAYER = "block10"  # a lower layer: 14×14 places, 112 numbers at each
GRID, FEATURES = 14, 112
EMBEDDING, HIDDEN, ATTENTION = 48, 64, 32
STEPS, RATE = 120, 1e-2


def captions_in_words() -> list[list[str]]:
    """Return the five captions of each photograph: small letters, no marks, spaces between words."""
    return [
        [" ".join(letter_runs(caption)) for caption in photograph.captions]
        for photograph in load_photographs().by_name.values()
    ]


@torch.no_grad()
def annotation_vectors() -> Float[Tensor, "photographs places features"]:
    """Return what the pretrained network leaves of each photograph, scaled to a mean square of 1.

    Raises:
        ModuleNotFoundError: the extra `pretrained` is not installed.
    """
    network = load_pretrained()
    pixels = [photograph_pixels(photograph.image) for photograph in load_photographs().by_name.values()]
    maps = torch.cat([network.maps(picture, LAYER) for picture in pixels])
    return (maps / maps.square().mean().sqrt()).flatten(2).transpose(1, 2)


def untrained(seed: int) -> Captioner:
    """Return a captioner with soft attention that knows the words of all captions."""
    torch.manual_seed(seed)
    words = sorted({word for told in captions_in_words() for caption in told for word in caption.split()})
    decoder = caption_decoder("soft", GRID, FEATURES, EMBEDDING, HIDDEN, ATTENTION)
    return Captioner(nn.Identity(), decoder, words, EMBEDDING)


def memorise(
    captioner: Captioner, annotations: Tensor, told: Sequence[Sequence[str]], steps: int = STEPS
) -> Iterator[float]:
    """Train on all captions of photographs at once; yield the nats a word of each step.

    Args:
        captioner: is trained in place.
        annotations: of the photographs.
        told: captions of each.
        steps: of Adam.
    """
    numbers = torch.tensor([i for i, captions in enumerate(told) for _ in captions])
    tokens = captioner.encode([caption for captions in told for caption in captions])

    def losses() -> Iterator[Tensor]:
        for _ in range(steps):
            run = captioner(annotations[numbers], tokens[:, :-1])
            yield functional.cross_entropy(run.logits.transpose(1, 2), tokens[:, 1:], ignore_index=PAD)

    optimizer = torch.optim.Adam(captioner.parameters(), RATE)
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


def measure() -> list[Measurement]:
    """Return how much is said by heart, and what is said of a photograph that was left out."""
    annotations, told = annotation_vectors(), captions_in_words()
    captioner = untrained(0)
    for _ in memorise(captioner, annotations, told):
        pass
    known = by_heart(captioner, annotations, told), shared_words(captioner, annotations, told)
    left_out = []
    for out in range(len(told)):
        others = [i for i in range(len(told)) if i != out]
        captioner = untrained(0)
        for _ in memorise(captioner, annotations[others], [told[i] for i in others]):
            pass
        photograph = annotations[out : out + 1], told[out : out + 1]
        left_out.append((by_heart(captioner, *photograph), shared_words(captioner, *photograph)))
    new = [fmean(values) for values in zip(*left_out, strict=True)]
    found = []
    for id, what, pair in (
        ("exact", "% said word by word as one of their five captions", (known[0], new[0])),
        ("words", "% of the words said that stand in one of their captions", (known[1], new[1])),
    ):
        for which, value in zip(("trained-on", "left-out"), pair, strict=True):
            metric = f"seven photographs, {which.replace('-', ' ')}: {what}"
            found.append(Measurement(f"photographs-{which}-{id}", "photographs", metric, 100 * value))
    return found


EXPERIMENTS = [
    Experiment("photographs", "captions of seven photographs, learnt by heart", 2, measuring(measure))
]
