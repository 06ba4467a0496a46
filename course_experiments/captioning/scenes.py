"""Captions of scenes with no, soft and hard attention, on new drawings and on pairs that were held out."""

from collections.abc import Sequence
from functools import partial
from statistics import fmean, stdev

from course_experiments.captioning.learning import EPOCH, SIZES, learn, new_scenes
from course_experiments.captioning.measures import looks, quality
from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.checkpoints import save_checkpoint
from course_lib.data.captioned_scenes import caption_words
from course_lib.visual_attention import Captioner

TESTS = {"seen": False, "held-out": True}  # pairs of kind and colour
SCENES = 100
SEARCHES = {"greedy": 1, "beam-3": 3}
CURVE_EVERY = 2  # epochs between two points of a learning curve
WHO = {
    "none": "no attention (Show and Tell)",
    "soft": "soft attention",
    "hard": "hard attention, half of the looks drawn",
}
PUBLISHED = {
    "captions-soft-seen-greedy-bleu-1": 70.7,
    "captions-soft-seen-greedy-bleu-4": 24.3,
    "captions-hard-seen-greedy-bleu-1": 71.8,
    "captions-hard-seen-greedy-bleu-4": 25.0,
}
SOURCE = "Xu et al. 2015, table 1: photographs of COCO, 80,000 to train on; these are scenes of drawings"
SAID = {
    "exact": "% of captions that are one of the scene's",
    **{f"bleu-{n}": f"BLEU-{n}" for n in (1, 2, 3, 4)},
    "cider": "CIDEr, of 100",
    "nouns": "% of nouns whose strongest place lies in the thing",
    "colours": "% of colours whose strongest place lies in the thing",
    "nouns-near": "% of nouns whose strongest place lies in the thing or next to it",
    "colours-near": "% of colours whose strongest place lies in the thing or next to it",
    "nouns-right": "% of nouns that are the likeliest word",
    "colours-right": "% of colours that are the likeliest word",
    "chance": "% of all places that lie in one thing",
    "chance-near": "% of all places that lie in one thing or next to it",
    "change": "% of a map's weight that lies elsewhere at the next word",
    "moved": "% of words after which the strongest place is another",
}


def judged(captioner: Captioner) -> dict[str, float]:
    """Return all that is measured of one captioner: test and measure -> value."""
    found: dict[str, float] = {}
    for test, held_out in TESTS.items():
        scenes = new_scenes("test", SCENES, held_out)
        found |= {f"{test}-{what}": value for what, value in looks(captioner, scenes).items()}
        for search, beam_size in SEARCHES.items():
            marks = quality(captioner, scenes, beam_size)
            found |= {f"{test}-{search}-{what}": value for what, value in marks.items()}
    return found


def in_words(key: str) -> str:
    """Say what a key of `judged` stands for."""
    test = next(test for test in TESTS if key.startswith(test))
    search = next((search for search in SEARCHES if search in key), None)
    measure = key.removeprefix(f"{test}-").removeprefix(f"{search}-")
    pairs = "held-out pairs" if TESTS[test] else "pairs seen in training"
    how = "" if search is None else f", {search.replace('-', ' ')}"
    return f"{SAID[measure]}, {pairs}, new drawings{how}"


def measurement(name: str, key: str, what: str, values: Sequence[float]) -> Measurement:
    """Return the mean of a captioner's seeds and, of several, their standard deviation."""
    id = f"captions-{name}-{key}"
    spread = stdev(values) if len(values) > 1 else None
    metric, published = f"{WHO[name]}: {what}", PUBLISHED.get(id)
    source = "" if published is None else SOURCE
    return Measurement(id, f"captions-{name}", metric, fmean(values), spread, published, source)


def run(name: str, seeds: int, budget: Budget) -> Outcome:
    """Train a captioner with several seeds, measure all, and write down the first."""
    over, judgements, curves, minutes = budget.clock(), [], [], []
    path = budget.folder / f"captions_{name}.safetensors"
    for seed in range(seeds):
        captioner, progress = learn(name, seed, budget.folder / f"seed-{seed}", budget.minutes)
        if progress.stopped == "paused" or over():
            return PAUSED
        judgements.append(judged(captioner))
        curves.append([entry["validation_loss"] for entry in progress.history])
        minutes.append(progress.cpu_seconds / 60)
        if seed == 0:
            config = {"attention": name, "words": caption_words(), **SIZES}
            save_checkpoint(path, captioner, config, int8=True)
            size = sum(parameter.numel() for parameter in captioner.parameters())
    found = [
        measurement(name, "parameters", "parameters", [size]),
        measurement(name, "cpu-minutes", "CPU minutes of training", minutes),
    ]
    for key in judgements[0]:
        found.append(measurement(name, key, in_words(key), [judgement[key] for judgement in judgements]))
    for epoch in range(CURVE_EVERY, len(curves[0]) + 1, CURVE_EVERY):
        what = f"nats a word after {epoch * EPOCH} steps, scenes of validation drawings"
        values = [curve[epoch - 1] for curve in curves]
        found.append(measurement(name, f"curve-{epoch * EPOCH}", what, values))
    return Outcome(found, [path])


EXPERIMENTS = [
    Experiment(
        f"captions_{name}",
        f"scenes told in words: {WHO[name]}",
        minutes,
        partial(run, name, seeds),
        (f"captions_{name}.safetensors",),
    )
    for name, seeds, minutes in (("none", 1, 3), ("soft", 3, 11), ("hard", 3, 11))
]
