"""A language model that only counts: what followed the last k tokens before?

    p_k(x | c) = (n(c, x) + a · p_{k−1}(x | c')) / (n(c) + a)        c the last k tokens, c' the last k − 1
    p_{−1}(x)  = 1/V

A context that was never seen leaves the word to a shorter one (MacKay and Peto 1995, with one a for all
contexts). Which a is best depends on k: choose it on a part of the training text.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int


def ngram_nats(
    train: Int[np.ndarray, "train"],
    held_out: Int[np.ndarray, "length"],
    vocabulary_size: int,
    memory: int,
    strengths: Sequence[float],
) -> Float[np.ndarray, "strengths memories"]:
    """Return the loss on a held-out text in nats a token, of each strength and of each memory from 0 on.

    Args:
        train: tokens to count in.
        held_out: tokens to predict; the first `memory` are only read.
        vocabulary_size: number of tokens V; V^(memory + 1) has to stay below 2^63.
        memory: the most tokens k that a model looks back.
        strengths: a, each above 0: how many tokens' worth of trust the shorter context gets.

    Raises:
        ValueError: the memory is below 0 or too long, a strength is not above 0, or a text is too short.
    """
    longest = int(63 / np.log2(vocabulary_size)) - 1
    if not 0 <= memory <= longest:
        raise ValueError(f"memory is {memory}; allowed is 0 to {longest} for {vocabulary_size} tokens")
    if not all(strength > 0 for strength in strengths):
        raise ValueError(f"strengths are {list(strengths)}; allowed are numbers above 0")
    if min(len(train), len(held_out)) <= memory:
        raise ValueError(
            f"texts have {len(train)} and {len(held_out)} tokens; allowed is {memory + 1} or more"
        )
    a = np.array(strengths, float)[:, None]
    probability: np.ndarray = np.full((len(a), len(held_out) - memory), 1 / vocabulary_size)
    losses = []
    for k in range(memory + 1):
        asked = windows(held_out, k + 1, vocabulary_size)[memory - k :]
        seen = windows(train, k + 1, vocabulary_size)
        joint = counts(seen, asked)
        context = counts(seen // vocabulary_size, asked // vocabulary_size)
        probability = (joint + a * probability) / (context + a)
        losses.append(-np.log(probability).mean(axis=1))
    return np.stack(losses, axis=1)


def windows(
    tokens: Int[np.ndarray, "length"], width: int, vocabulary_size: int
) -> Int[np.ndarray, "windows"]:
    """Return one number for each run of tokens: its digits, base V, are the tokens."""
    numbers = np.zeros(len(tokens) - width + 1, dtype=np.int64)
    for i in range(width):
        numbers = numbers * vocabulary_size + tokens[i : len(tokens) - width + 1 + i]
    return numbers


def counts(seen: Int[np.ndarray, "seen"], asked: Int[np.ndarray, "asked"]) -> Int[np.ndarray, "asked"]:
    """Return how often each number that is asked for was seen."""
    kinds, count = np.unique(seen, return_counts=True)
    place = np.minimum(np.searchsorted(kinds, asked), len(kinds) - 1)
    return np.where(kinds[place] == asked, count[place], 0)


class CountingModel:
    """What follows the last tokens, from counts in one text; p_k above, and no further back.

    Args:
        tokens: the text to count in, longer than the memory.
        vocabulary_size: number of tokens V; V^(memory + 1) has to stay below 2^63.
        memory: tokens k that it looks back, 0 or more.
        strength: a, above 0.
    """

    def __init__(
        self, tokens: Int[np.ndarray, "length"], vocabulary_size: int, memory: int, strength: float
    ) -> None:
        self.vocabulary_size, self.memory, self.strength = vocabulary_size, memory, strength
        self.seen = [
            np.unique(windows(tokens, k + 1, vocabulary_size), return_counts=True) for k in range(memory + 1)
        ]

    def log_probs(self, before: Sequence[int]) -> Float[np.ndarray, "vocabulary"]:
        """Return log p of each next token; of the tokens before, the last `memory` are looked at."""
        probability = np.full(self.vocabulary_size, 1 / self.vocabulary_size)
        for k, (kinds, count) in enumerate(self.seen[: len(before) + 1]):
            context = 0
            for token in before[len(before) - k :]:
                context = context * self.vocabulary_size + token
            first = context * self.vocabulary_size
            low, high = np.searchsorted(kinds, [first, first + self.vocabulary_size])
            probability *= self.strength
            probability[kinds[low:high] - first] += count[low:high]
            probability /= count[low:high].sum() + self.strength
        return np.log(probability)
