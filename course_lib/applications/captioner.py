"""Captioners of scenes, ready to use: they write what is on a picture, and show where they look."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_lib.checkpoints import FOLDER, load_model
from course_lib.data.special import BEGIN, END, SPECIAL
from course_lib.decoding import beam_search, greedy_search
from course_lib.traces.overlay import OverlayTrace
from course_lib.vision import to_pixels
from course_lib.visual_attention import ATTENTIONS, Captioner, scene_captioner

MOST_WORDS = 20  # of a caption
CANDIDATES = 5  # next words whose probabilities a trace holds


def load_captioner(name: str, path: Path | None = None) -> Captioner:
    """Load a trained captioner in eval mode, for scenes of `captioned_scenes`.

    Args:
        name: its attention: "none" (Show and Tell), "soft" or "hard" (Show, Attend and Tell).
        path: its checkpoint; None takes the shipped one.

    Raises:
        ValueError: no such captioner.
        CheckpointError: the checkpoint is missing or damaged.
    """
    if name not in ATTENTIONS:
        raise ValueError(f"name is {name!r}; allowed are {', '.join(map(repr, ATTENTIONS))}")

    def build(config: dict[str, Any]) -> Captioner:
        return scene_captioner(**config)

    return load_model(path or FOLDER / f"captions_{name}.safetensors", build)[0]


def write_captions(captioner: Captioner, pictures: Tensor, beam_size: int = 1) -> list[str]:
    """Return the captioner's captions, of at most 20 words.

    Args:
        captioner: ready to use.
        pictures: what its encoder takes: pixels, or annotation vectors.
        beam_size: prefixes that the search keeps; with 1 it is greedy.
    """
    with torch.no_grad():
        state = captioner.start(pictures)
    first = torch.full((len(pictures),), BEGIN)
    if beam_size == 1:
        found = greedy_search(captioner.step, state, first, END, MOST_WORDS)
    else:
        results = beam_search(captioner.step, state, first, END, MOST_WORDS, beam_size)
        found = [result.hypotheses[0] for result in results]
    return [captioner.decode(hypothesis.tokens) for hypothesis in found]


@torch.no_grad()
def caption_trace(
    captioner: Captioner,
    images: np.ndarray,
    captions: Sequence[str],
    names: Sequence[str],
    title: str = "",
    seen: Tensor | None = None,
) -> OverlayTrace:
    """Return where a captioner looks for each word of given captions, and what it would say there.

    Args:
        captioner: with attention.
        images: (pictures, height, width, 3) uint8.
        captions: one of each picture; its own, or any other that it knows the words of.
        names: what each picture shows.
        title: what is shown, as a sentence.
        seen: what the encoder takes; None for the pixels of the images.

    Returns:
        a step a word; captions that are shorter end in steps without a name and a map.

    Raises:
        ValueError: the captioner has no attention.
    """
    tokens = captioner.encode(captions)
    run = captioner(to_pixels(images) if seen is None else seen, tokens[:, :-1])
    if run.weights is None:
        raise ValueError("the captioner has no attention; allowed are those with soft or hard attention")
    following = tokens[:, 1:]
    real = following >= len(SPECIAL)
    steps = real.any(dim=0).sum()
    side = round(run.weights.shape[2] ** 0.5)
    maps = (run.weights * real.unsqueeze(2))[:, :steps].unflatten(2, (1, side, side))
    probability, word = run.logits.softmax(dim=-1)[:, :steps].topk(CANDIDATES, dim=-1)
    words = [
        [captioner.words[i] if is_real else "" for i, is_real in zip(row, reals, strict=True)]
        for row, reals in zip(following[:, :steps].tolist(), real[:, :steps].tolist(), strict=True)
    ]
    return OverlayTrace(
        images,
        tuple(names),
        maps.numpy(),
        tuple(map(tuple, words)),
        ("where it looks",),
        title,
        tuple(tuple(tuple(captioner.words[i] for i in best) for best in row) for row in word.tolist()),
        probability.numpy(),
    )
