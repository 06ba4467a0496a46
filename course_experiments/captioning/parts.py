"""What is red here? A scene is classified by attending to a part of it.

Three things are on a scene, one of them red. The class is the kind of the red one. Where it is, nobody tells.
Afterwards only a quarter of each test picture is left: the places that the network looked at most, other
places taken at random, or those that it looked at least.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from course_experiments.captioning.learning import SIZES, varied
from course_experiments.captioning.measures import places_inside
from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.data import load_sketches
from course_lib.data.captioned_scenes import KINDS, Thing, drawings, make_captioned_scenes
from course_lib.data.labelled_pictures import LabelledPictures
from course_lib.training.loop import train_steps
from course_lib.vision import to_pixels
from course_lib.visual_attention import PartClassifier, keep_places

ASKED, THINGS = "red", 3
STEPS, BATCH, RATE, SEEDS = 600, 32, 4e-3, 2
TEST_SCENES = 300
QUARTER = 4  # one place in so many is left


class Question(NamedTuple):
    """Scenes with a red thing."""

    pixels: Float[Tensor, "scenes 3 side side"]
    kinds: Int[Tensor, "scenes"]  # of the red thing
    red: tuple[Thing, ...]
    size: int  # pixels along a side of a thing's box


def questions(pictures: LabelledPictures, count: int, generator: np.random.Generator) -> Question:
    """Return scenes of which each has a red thing.

    Args:
        pictures: drawings.
        count: scenes.
        generator: draws them.
    """
    made = make_captioned_scenes(pictures, 3 * count, THINGS, generator)  # one in two has a red thing
    found = [(i, thing) for i, things in enumerate(made.things) for thing in things if thing.colour == ASKED][
        :count
    ]
    numbers, red = zip(*found, strict=True)
    kinds = torch.tensor([KINDS.index(thing.kind) for thing in red])
    return Question(to_pixels(made.images[list(numbers)]), kinds, red, made.size)


def learn(looks: bool, seed: int, steps: int = STEPS) -> PartClassifier:
    """Return a classifier after training on new scenes in each batch."""
    torch.manual_seed(seed)
    network = PartClassifier(SIZES["channels"], SIZES["side"], len(KINDS), SIZES["attention_size"], looks)
    generator, turns = np.random.default_rng(seed), torch.Generator().manual_seed(seed)
    pictures = drawings(load_sketches(), "train")

    def losses() -> Iterator[Tensor]:
        for step in range(steps):
            if step % 10 == 0:
                now = varied(pictures, turns)
            asked = questions(now, BATCH, generator)
            yield functional.cross_entropy(network(asked.pixels)[0], asked.kinds)

    optimizer = torch.optim.Adam(network.parameters(), RATE)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, steps)
    for _ in train_steps(losses(), optimizer, scheduler=scheduler):
        pass
    return network.eval()


@torch.no_grad()
def judged(network: PartClassifier, asked: Question) -> dict[str, float]:
    """Return, in %, what is named right of whole pictures and of quarters, and where it looks."""
    logits, weights = network(asked.pixels)
    places = weights.shape[1]
    grid, side = round(places**0.5), asked.pixels.shape[2]
    random = torch.rand(weights.shape, generator=torch.Generator().manual_seed(0))
    inside = torch.stack([places_inside(thing, asked.size, side, grid).flatten() for thing in asked.red])

    def right(scores: Tensor) -> float:
        return 100 * (scores.argmax(dim=1) == asked.kinds).double().mean().item()

    found = {"right": right(logits)}
    for name, worth in (("looked-at", weights), ("random", random), ("least", -weights)):
        found[name] = right(network(keep_places(asked.pixels, worth, places // QUARTER))[0])
    found["weight"] = 100 * (weights * inside).sum(dim=1).mean().item()
    found["inside"] = 100 * inside.gather(1, weights.argmax(dim=1, keepdim=True)).double().mean().item()
    found["chance"] = 100 * inside.double().mean().item()
    return found


SAID = {
    "right": "% of red things named right",
    "looked-at": "% named right when only the quarter that it looked at most is left",
    "random": "% named right when only a random quarter is left",
    "least": "% named right when only the quarter that it looked at least is left",
    "weight": "% of the weight that lies on the red thing",
    "inside": "% of scenes whose strongest place lies on the red thing",
    "chance": "% of all places that lie on the red thing",
}


def run(budget: Budget) -> Outcome:
    """Train networks that look and that average; try both on new drawings."""
    over = budget.clock()
    asked = questions(drawings(load_sketches(), "test"), TEST_SCENES, np.random.default_rng(0))
    found = []
    for name, looks in (("looks", True), ("averages", False)):
        judgements = []
        for seed in range(SEEDS):
            judgements.append(judged(learn(looks, seed), asked))
            if over():
                return PAUSED
        for key in SAID if looks else ("right", "random"):
            found.append(measurement(name, key, [judgement[key] for judgement in judgements]))
    return Outcome(found)


def measurement(name: str, key: str, values: Sequence[float]) -> Measurement:
    """Return mean and standard deviation over seeds."""
    metric = f"a network that {name}: {SAID[key]}, new drawings"
    return Measurement(f"parts-{name}-{key}", "parts", metric, fmean(values), stdev(values))


EXPERIMENTS = [Experiment("parts", "what is red here? a scene classified by a part of it", 5, run)]
