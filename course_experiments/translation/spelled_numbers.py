"""German numbers, letter by letter: so small a task that a lecture can train a deep translator for it.

47 is read in two tokens and written in sixteen: "siebenundvierzig". Of the 64 numbers whose two digits are 2
to 9, 16 are held out, in such a way that every digit is learned in both places.
"""

import statistics
from collections.abc import Sequence
from itertools import repeat
from typing import Any

import torch
from torch import Tensor

from course_experiments.protocol import Experiment, measuring, over_seeds
from course_experiments.results import Measurement
from course_lib.applications.families import build
from course_lib.data.batches import Batch, pad
from course_lib.data.special import BEGIN, END, PAD, SPECIAL
from course_lib.data.spoken_numbers import DIGITS, read_out
from course_lib.decoding import greedy_search
from course_lib.seq2seq.model import Seq2Seq
from course_lib.training.loop import train_steps
from course_lib.training.objectives import next_token_loss

NUMBERS = {tens + ones: "".join(read_out(tens + ones)) for tens in DIGITS for ones in DIGITS}
HELD_OUT = tuple(number for number in NUMBERS if (int(number[0]) + int(number[1])) % 4 == 0)
LEARNED = tuple(number for number in NUMBERS if number not in HELD_OUT)
SYMBOLS = (*SPECIAL, *DIGITS, *sorted(set("".join(NUMBERS.values()))))
IDS = {symbol: i for i, symbol in enumerate(SYMBOLS)}
FAMILIES: dict[str, dict[str, Any]] = {
    "character": {
        "family": "character",
        "source_vocabulary_size": len(SYMBOLS),
        "vocabulary_size": len(SYMBOLS),
        "source_embedding_size": 16,
        "embedding_size": 16,
        "hidden_size": 48,
    },
    "gnmt": {
        "family": "gnmt",
        "vocabulary_size": len(SYMBOLS),
        "embedding_size": 16,
        "hidden_size": 48,
        "layers": 4,
    },
}
UPDATES, SEEDS = 150, range(3)


def spelled(numbers: Sequence[str]) -> Batch:
    """Return the ids of digits and of letters; a target goes from "<s>" to "</s>"."""
    source = [[*(IDS[digit] for digit in number), END] for number in numbers]
    target = [[BEGIN, *(IDS[letter] for letter in NUMBERS[number]), END] for number in numbers]
    return Batch(pad(source, PAD), pad(target, PAD))


def learn_to_spell(family: str, seed: int, updates: int = UPDATES) -> Seq2Seq:
    """Return a translator that has learned to spell the numbers that are not held out.

    Args:
        family: one of `FAMILIES`.
        seed: of the weights.
        updates: each on all numbers to learn from.
    """
    torch.manual_seed(seed)
    model = build(FAMILIES[family], pad_id=PAD)
    optimizer = torch.optim.Adam(model.parameters(), 5e-3)

    def loss(batch: Batch) -> Tensor:
        total, letters = next_token_loss(model, batch)
        return total / letters

    for _ in train_steps(map(loss, repeat(spelled(LEARNED), updates)), optimizer, clip=1.0):
        pass
    return model.eval()


@torch.no_grad()
def spell(model: Seq2Seq, numbers: Sequence[str]) -> list[str]:
    """Return what a translator writes for each number, the likeliest letter at each step."""

    source = spelled(numbers).source
    written = greedy_search(model.predict, model.start(source), torch.full((len(source),), BEGIN), END, 25)
    return ["".join(SYMBOLS[token] for token in found.tokens if token != END) for found in written]


def share_spelled(model: Seq2Seq, numbers: Sequence[str]) -> float:
    """Return the % of numbers that are spelled without a mistake."""
    pairs = zip(spell(model, numbers), numbers, strict=True)
    return 100 * statistics.fmean(written == NUMBERS[number] for written, number in pairs)


def spelling_results() -> list[Measurement]:
    """Train each family from each seed; return how it spells numbers that it has never seen."""
    found = []
    for family in FAMILIES:
        right = [share_spelled(learn_to_spell(family, seed), HELD_OUT) for seed in SEEDS]
        found.append(
            over_seeds(
                f"spelled-numbers-{family}",
                "spelled-numbers",
                f"% of {len(HELD_OUT)} German numbers spelled right that were not learned from: {family}, "
                f"{UPDATES} updates on the other {len(LEARNED)}, {len(SEEDS)} seeds",
                right,
            )
        )
    return found


EXPERIMENTS = [
    Experiment("spelled_numbers", "deep translators that spell numbers", 0.6, measuring(spelling_results))
]
