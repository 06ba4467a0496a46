"""How captioners of scenes are trained: the same scenes, steps and sizes for every kind of attention."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from course_experiments.captioning.measures import told
from course_lib.data import LabelledPictures, load_sketches
from course_lib.data.captioned_scenes import (
    CaptionedScenes,
    caption_words,
    captions_of,
    drawings,
    make_captioned_scenes,
)
from course_lib.data.special import PAD
from course_lib.training.loop import Progress, Schedule, fit
from course_lib.vision import to_pixels
from course_lib.visual_attention import (
    Captioner,
    MovingBaseline,
    hard_attention_loss,
    scene_captioner,
)
from course_lib.visual_attention.hard_decoder import HardAttentionDecoder

SIZES: dict[str, Any] = {
    "side": 64,
    "channels": (12, 32, 64, 96),
    "embedding_size": 64,
    "hidden_size": 96,
    "attention_size": 64,
}
LONGEST = 20  # words of a caption, at most
BATCH, EPOCH = 32, 100  # scenes in a step, steps in an epoch
EPOCHS = 24
SCHEDULE = Schedule(EPOCHS, learning_rate=3e-3, warmup=100, patience=EPOCHS)
SMOOTHING = 0.1  # of the labels: without it a captioner learns which pairs it has never seen
DRAWN = 0.5  # share of hard looks that are drawn in training
REWARD, ENTROPY = 0.1, 0.02  # λ_r and λ_e of hard attention
TURN, SHRINK = 0.25, 0.25  # radians to either side; share by which a drawing may become smaller


class Batch(NamedTuple):
    """Scenes, and one caption of each."""

    pixels: Float[Tensor, "batch 3 side side"]
    captions: Tensor


class Learner(nn.Module):
    """A captioner, and what its training keeps beside it.

    Args:
        attention: one of `ATTENTIONS`.
    """

    def __init__(self, attention: str) -> None:
        super().__init__()
        self.captioner = scene_captioner(attention, caption_words(), **SIZES)
        self.baseline = MovingBaseline(LONGEST)
        if isinstance(self.captioner.decoder, HardAttentionDecoder):
            self.captioner.decoder.drawn = DRAWN

    def loss(self, batch: Batch) -> Tensor:
        """Return what training makes small."""
        run, following = self.captioner(batch.pixels, batch.captions[:, :-1]), batch.captions[:, 1:]
        if isinstance(self.captioner.decoder, HardAttentionDecoder):
            surrogate, _ = hard_attention_loss(run, following, PAD, self.baseline, REWARD, ENTROPY, SMOOTHING)
            return surrogate * len(following) / (following != PAD).sum()
        return functional.cross_entropy(
            run.logits.transpose(1, 2), following, ignore_index=PAD, label_smoothing=SMOOTHING
        )


def varied(pictures: LabelledPictures, generator: torch.Generator) -> LabelledPictures:
    """Return the drawings turned a little, made smaller and mirrored, each by chance in its own way."""
    count = len(pictures.images)
    angle = TURN * (2 * torch.rand(count, generator=generator) - 1)
    grow = 1 + SHRINK * torch.rand(count, generator=generator)
    mirror = torch.where(torch.rand(count, generator=generator) < 0.5, -1.0, 1.0)
    zero = torch.zeros(count)
    rows = [
        torch.stack([grow * mirror * angle.cos(), -grow * angle.sin(), zero], dim=1),
        torch.stack([grow * mirror * angle.sin(), grow * angle.cos(), zero], dim=1),
    ]
    images = torch.tensor(pictures.images).unsqueeze(1).float()
    places = functional.affine_grid(torch.stack(rows, dim=1), list(images.shape), align_corners=False)
    moved = functional.grid_sample(images, places, align_corners=False)
    return LabelledPictures(moved.squeeze(1).round().byte().numpy(), pictures.labels)


def batches(captioner: Captioner, seed: int, epoch: int) -> Iterator[Batch]:
    """Yield the batches of an epoch: new scenes in each, of two and of three things in turn."""
    generator = np.random.default_rng([seed, epoch])
    turns = torch.Generator().manual_seed(1000 * seed + epoch)
    pictures = drawings(load_sketches(), "train")
    for step in range(EPOCH):
        if step % 10 == 0:
            now = varied(pictures, turns)
        scenes = make_captioned_scenes(now, BATCH, 2 + step % 2, generator)
        chosen = [captions[generator.integers(len(captions))] for captions in map(captions_of, scenes.things)]
        yield Batch(to_pixels(scenes.images), captioner.encode(chosen))


@lru_cache
def new_scenes(part: str, count: int, held_out: bool) -> CaptionedScenes:
    """Return scenes of drawings that no captioner was trained on, half with two things, half with three.

    Args:
        part: "validation" or "test".
        count: scenes.
        held_out: of the pairs of kind and colour that are held out, or of the others.
    """
    generator = np.random.default_rng([7, held_out, part == "test"])
    pictures = drawings(load_sketches(), part)
    two, three = (
        make_captioned_scenes(pictures, count // 2, things, generator, held_out) for things in (2, 3)
    )
    return two + three


@torch.no_grad()
def nats_per_word(captioner: Captioner, scenes: CaptionedScenes) -> float:
    """Return what a word costs, in nats; each scene has one of its captions, all wordings in turn."""
    captions = captioner.encode(told(scenes))
    logits = captioner(to_pixels(scenes.images), captions[:, :-1]).logits
    return functional.cross_entropy(logits.transpose(1, 2), captions[:, 1:], ignore_index=PAD).item()


def learn(
    name: str, seed: int, folder: Path, minutes: float | None = None, schedule: Schedule = SCHEDULE
) -> tuple[Captioner, Progress]:
    """Train a captioner; where that was interrupted before, go on.

    Args:
        name: one of `ATTENTIONS`.
        seed: of the weights, the scenes and the draws.
        folder: where the state is kept.
        minutes: see `fit`.
        schedule: how long and how fast.
    """
    torch.manual_seed(seed)
    learner = Learner(name)
    captioner = learner.captioner
    kept = new_scenes("validation", 200, False)
    progress = fit(
        learner,
        learner.loss,
        lambda epoch: batches(captioner, seed, epoch),
        EPOCH,
        lambda: nats_per_word(captioner, kept),
        schedule,
        folder,
        minutes,
    )
    return captioner.eval(), progress
