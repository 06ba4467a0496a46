"""Two rules of training from the Transformer's paper, each with and without: warm-up and label smoothing.

    rate(step) = d^{−1/2} · min(step^{−1/2}, step · warmup^{−3/2})

The rate climbs in a straight line for `warmup` steps, then falls with the root of the step. Without warm-up
it starts at the top; from there on both are equal. Vaswani et al. 2017, equation 3 and section 5.4.

The task is a cheap one: the words of a short sentence come shuffled; write the sentence.
"""

import itertools
from typing import NamedTuple

import torch
from torch import Tensor

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome, over_seeds, sweep
from course_experiments.translation.word_ordering import LIMIT, Task, load_task, shuffled_pairs
from course_lib.data.batches import Batch, length_batches
from course_lib.data.special import BEGIN, END, PAD
from course_lib.decoding import greedy_search
from course_lib.seq2seq import Transformer
from course_lib.training.loop import train_steps
from course_lib.training.objectives import next_token_loss, validation_loss

SIZE, HEADS, LAYERS = 64, 4, 3
WARMUP, STEPS, BATCH_SIZE = 200, 500, 64
SMOOTHING, DROPOUT, SEEDS = 0.1, 0.1, range(3)


class Rules(NamedTuple):
    """How one model is trained."""

    norm: str  # "post", as in the paper, or "pre"
    climbs: bool  # warm-up
    smoothing: float


RULES = {
    "paper": Rules("post", True, SMOOTHING),
    "certain": Rules("post", True, 0.0),
    "cold": Rules("post", False, SMOOTHING),
    "pre-cold": Rules("pre", False, SMOOTHING),
}


class Ordered(NamedTuple):
    """How well a model orders the words of held-out sentences."""

    nats: float  # a word, teacher-forced, without smoothing
    sentences: float  # % of sentences written exactly, greedy


def rate(step: int, climbs: bool = True, size: int = SIZE, warmup: int = WARMUP) -> float:
    """Return the learning rate of the paper.

    Args:
        step: from 1 on.
        climbs: whether there is a warm-up; without one the rate is at its highest from the first step on.
        size: d, features of the model.
        warmup: steps to the highest rate.
    """
    climb = step * warmup**-1.5 if climbs else warmup**-0.5
    return float(size**-0.5 * min(step**-0.5, climb))


def try_rules(rules: Rules, seed: int, steps: int = STEPS) -> Ordered:
    """Train a fresh Transformer by some rules; return how well it does on held-out sentences.

    Args:
        rules: of training.
        seed: of weights, batches and shuffles.
        steps: updates.
    """
    torch.manual_seed(seed)
    task = load_task()
    sizes = (len(task.vocabulary), SIZE, HEADS, LAYERS, 4 * SIZE)
    model = Transformer(*sizes, pad_id=PAD, dropout=DROPOUT, norm=rules.norm)
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: rate(done + 1, rules.climbs))
    batches = (
        batch
        for epoch in itertools.count()
        for batch in length_batches(
            shuffled_pairs(task.train, 1000 * seed + epoch), BATCH_SIZE, PAD, seed=epoch
        )
    )

    def loss(batch: Batch) -> Tensor:
        total, tokens = next_token_loss(model, batch, rules.smoothing)
        return total / tokens

    for _ in train_steps(map(loss, itertools.islice(batches, steps)), optimizer, scheduler=scheduler):
        pass
    return held_out(model.eval(), task)


def held_out(model: Transformer, task: Task) -> Ordered:
    """Return how well a trained model orders the words of the test sentences."""

    pairs = shuffled_pairs(task.test, seed=1)
    batches = list(length_batches(pairs, 100, PAD))
    right = 0
    for source, target in batches:
        with torch.no_grad():
            first = torch.full((len(source),), BEGIN)
            written = greedy_search(model.predict, model.start(source), first, END, LIMIT)
        right += sum(
            list(found.tokens) == [token for token in true if token != PAD]
            for found, true in zip(written, target[:, 1:].tolist(), strict=True)
        )
    return Ordered(validation_loss(model, batches), 100 * right / len(pairs))


def run(budget: Budget) -> Outcome:
    """Train by all rules, each from three seeds."""
    measures = {
        "nats": "nats a word of held-out sentences, teacher-forced, without smoothing",
        "sentences": "% of held-out sentences put in order exactly, greedy",
    }
    jobs = [(name, seed) for name in RULES for seed in SEEDS]
    tried = sweep(budget, jobs, lambda name, seed, _: try_rules(RULES[name], seed))
    if tried is None:
        return PAUSED
    found = []
    for name, rules in RULES.items():
        how = f"{rules.norm}-norm, warm-up {'on' if rules.climbs else 'off'}, smoothing {rules.smoothing:g}"
        for (measure, metric), values in zip(measures.items(), zip(*tried[name], strict=True), strict=True):
            what = f"{metric}: {how}, {STEPS} updates, {len(SEEDS)} seeds"
            found.append(over_seeds(f"warm-up-{name}-{measure}", "warm-up", what, values))
    return Outcome(found)


EXPERIMENTS = [Experiment("warm_up", "a Transformer with and without warm-up and label smoothing", 7, run)]
