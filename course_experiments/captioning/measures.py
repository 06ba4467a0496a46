"""How good captions of scenes are, and whether their words are grounded in the picture."""

import math
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.applications.captioner import write_captions
from course_lib.data.captioned_scenes import CaptionedScenes, Thing, captions_of
from course_lib.data.special import PAD
from course_lib.metrics.text import corpus_bleu, corpus_cider
from course_lib.vision import to_pixels
from course_lib.visual_attention import Captioner

SAME = 1e-9  # maps that differ by less are one map


class ContentWord(NamedTuple):
    """A word that names a thing on the scene."""

    step: int  # its place in the caption
    what: str  # "nouns" or "colours"
    thing: Thing


def content_words(caption: str, things: Sequence[Thing]) -> Iterator[ContentWord]:
    """Yield the nouns and the colours of a caption, each with the thing that it is about."""
    for step, word in enumerate(caption.split()):
        for thing in things:
            if word in (thing.kind, thing.colour):
                yield ContentWord(step, "nouns" if word == thing.kind else "colours", thing)


def places_inside(
    thing: Thing, size: int, side: int, grid: int, margin: int = 0
) -> Bool[Tensor, "grid grid"]:
    """Return which places of a grid over a picture have their middle in a thing's box.

    Args:
        thing: has the box.
        size, side: pixels along a side of the box and of the picture.
        grid: places along a side.
        margin: places by which the box is wider on each side.
    """
    cell = side / grid
    middles = (torch.arange(grid) + 0.5) * cell
    extra = margin * cell
    rows, columns = ((middles >= first - extra) & (middles < first + size + extra) for first in thing.corner)
    return rows.unsqueeze(1) & columns


def bleu_by_length(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
    """Return BLEU-1 to BLEU-4, 0 to 100; words stand between spaces. A length without a match gives 0."""
    found = corpus_bleu(hypotheses, references, tokenize="none")
    precisions = [
        match / total if total else 0.0 for match, total in zip(found.matches, found.totals, strict=True)
    ]
    return [100 * found.brevity_penalty * math.prod(precisions[:n]) ** (1 / n) for n in range(1, 5)]


def quality(captioner: Captioner, scenes: CaptionedScenes, beam_size: int) -> dict[str, float]:
    """Return in % how many captions are one of the scene's, BLEU-1 to BLEU-4, and CIDEr of 100."""
    references = [captions_of(things) for things in scenes.things]
    found = write_captions(captioner, to_pixels(scenes.images), beam_size)
    exact = fmean(caption in right for caption, right in zip(found, references, strict=True))
    bleu = {f"bleu-{n}": score for n, score in enumerate(bleu_by_length(found, references), start=1)}
    return {"exact": 100 * exact, **bleu, "cider": 100 * corpus_cider(found, references)}


def told(scenes: CaptionedScenes) -> list[str]:
    """Return one caption of each scene, all wordings in turn."""
    wordings = [captions_of(things) for things in scenes.things]
    return [captions[i % len(captions)] for i, captions in enumerate(wordings)]


def gradient_maps(captioner: Captioner, pixels: Tensor, tokens: Tensor) -> Float[Tensor, "batch time places"]:
    """Return how each place bears on each true word: the length of its log-probability's gradient.

    Args:
        captioner: with or without attention.
        pixels: the pictures.
        tokens: true captions, from `BEGIN` on.
    """
    with torch.no_grad():
        annotations = captioner.encoder(pixels)
    annotations.requires_grad_()
    state, log_probs = captioner.decoder.start(annotations), []
    for now, following in zip(tokens[:, :-1].unbind(1), tokens[:, 1:].unbind(1), strict=True):
        log_prob, state = captioner.step(now, state)
        log_probs.append(log_prob.gather(1, following.unsqueeze(1)).sum())
    maps = [torch.autograd.grad(log_prob, annotations, retain_graph=True)[0] for log_prob in log_probs]
    return torch.stack([gradient.norm(dim=2) for gradient in maps], dim=1)


def looks(captioner: Captioner, scenes: CaptionedScenes) -> dict[str, float]:
    """Return, in %, where a captioner looks while it is told a caption of each scene, and what it expects.

    Returns:
        "nouns" and "colours": those whose strongest place lies in the thing; without attention that is the
        place of the longest gradient. "nouns-right" and "colours-right": those that are the likeliest word.
        "chance": places that lie in a thing, of all. "-near" counts the places next to a thing, too. With
        attention also "change", the weight that lies elsewhere at the next word, and "moved", the words after
        which the strongest place is another.
    """
    captions = told(scenes)
    tokens, pixels = captioner.encode(captions), to_pixels(scenes.images)
    with torch.no_grad():
        run = captioner(pixels, tokens[:, :-1])
    maps = gradient_maps(captioner, pixels, tokens) if run.weights is None else run.weights
    grid = round(maps.shape[2] ** 0.5)
    likeliest, strongest = run.logits.argmax(dim=2), maps.argmax(dim=2)
    found: dict[str, list[float]] = {}
    for i, (caption, things) in enumerate(zip(captions, scenes.things, strict=True)):
        for step, what, thing in content_words(caption, things):
            for near, margin in (("", 0), ("-near", 1)):
                inside = places_inside(thing, scenes.size, scenes.images.shape[1], grid, margin).flatten()
                found.setdefault(what + near, []).append(inside[strongest[i, step]].item())
                found.setdefault("chance" + near, []).append(inside.double().mean().item())
            found.setdefault(f"{what}-right", []).append((likeliest[i, step] == tokens[i, step + 1]).item())
    rates = {what: 100 * fmean(values) for what, values in found.items()}
    if run.weights is not None:
        rates |= changes(run.weights, tokens[:, 1:] != PAD)
    return rates


def changes(
    weights: Float[Tensor, "batch time places"], real: Bool[Tensor, "batch time"]
) -> dict[str, float]:
    """Return, in %, how much weight lies elsewhere at the next word, and how often the top moves."""
    both = real[:, :-1] & real[:, 1:]
    before, after = weights[:, :-1], weights[:, 1:]
    moved = (before.argmax(dim=2) != after.argmax(dim=2)) & ((before - after).abs().amax(dim=2) > SAME)
    share = (before - after).abs().sum(dim=2) / 2
    return {
        "change": 100 * share[both].mean().item(),
        "moved": 100 * moved[both].double().mean().item(),
    }
