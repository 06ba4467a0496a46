"""Training word vectors fast: the gradient of negative sampling written out, and many examples at a time.

    g = label − σ(u · h)      label 1 for the word that is there, 0 for a word drawn at random
    u += rate · g h           h += rate · g u

An example is what is read and the word to guess: CBOW reads a window and guesses its middle; skip-gram reads
one word of the window. As in word2vec's own program, frequent words are skipped at random, the reach of a
window is drawn anew for each word, and negative samples are drawn in proportion to count^¾. Unlike there,
examples are shuffled, and a group of them shares its samples (Ji et al. 2016, Parallelizing Word2Vec in
Shared and Distributed Memory, section 3): the products become matrix products.

Like that program, CBOW moves each word of a window by all that the mean vector learns, which is the true
gradient times the number of words. İrsoy et al. 2021 (Corrected CBOW Performs as well as Skip-gram) divide;
on the course's small text that taught less, at two rates.
"""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Literal, NamedTuple, get_args

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from course_lib.data.wiki_geo import WordVectors
from course_lib.words.word2vec import Word2Vec

Kind = Literal["cbow", "skip-gram"]
GROUP = 32  # examples that share their negative samples
GROUPS = 64  # in a batch, at most; all of a batch see the vectors as they were before it
OFTEN = 20  # a word stands in a batch so often on average, at most: its moves of a batch add up


def count_words(sentences: Sequence[Sequence[str]], least: int = 5) -> dict[str, int]:
    """Return word -> how often, the most frequent first, without the rarer than `least`."""
    counted = Counter(chain.from_iterable(sentences))
    return {word: count for word, count in counted.most_common() if count >= least}


def keep_probability(counts: Float[np.ndarray, "words"], threshold: float) -> Float[np.ndarray, "words"]:
    """Return the chance that an occurrence of each word is read: frequent words are skipped.

        p = min(1, √(t / f) + t / f)        f: the word's share of the text

    Args:
        counts: occurrences of each word, above 0.
        threshold: t, above 0; from 1 on nothing is skipped.

    Raises:
        ValueError: a count or the threshold is not above 0.

    Source: word2vec's program; the paper (2013b, equation 5) has √(t / f) alone.
    """
    if not ((counts > 0).all() and threshold > 0):
        raise ValueError(f"counts are from {counts.min()}, threshold is {threshold}; allowed is above 0")
    ratio = threshold * counts.sum() / counts
    return np.minimum(1.0, np.sqrt(ratio) + ratio)


def windows(
    text: Int[np.ndarray, "length"],
    sentence: Int[np.ndarray, "length"],
    reach: int,
    generator: np.random.Generator,
) -> tuple[Int[np.ndarray, "length window"], Bool[np.ndarray, "length window"]]:
    """Return the words around every word, up to a distance drawn between 1 and `reach`.

    Args:
        text: word numbers of all sentences, one after the other.
        sentence: the sentence of each word; no window reaches into another.
        reach: the largest distance, 1 or more.
        generator: of the random numbers.

    Returns:
        2 · reach words, and which of them belong to the window.

    Raises:
        ValueError: `reach` is below 1.
    """
    if reach < 1:
        raise ValueError(f"reach is {reach}; allowed is 1 or more")
    offsets = np.array([o for o in range(-reach, reach + 1) if o])
    places = np.arange(len(text))[:, None] + offsets
    inside = (places >= 0) & (places < len(text))
    places = places.clip(0, len(text) - 1)
    near = np.abs(offsets) <= generator.integers(1, reach + 1, (len(text), 1))
    return text[places], inside & near & (sentence[places] == sentence[:, None])


class Examples(NamedTuple):
    """What is read, and the word to guess from it, of many places of a text."""

    context: Int[Tensor, "words"]  # the words that are read, of one example after the other
    sizes: Int[Tensor, "examples"]  # how many of them each example reads, 1 or more
    target: Int[Tensor, "examples"]  # the word that each example guesses

    def batches(self, groups: int) -> Iterator["Examples"]:
        """Cut into batches of so many groups, in order; the last may be smaller."""
        ends = self.sizes.cumsum(0).tolist()
        for start in range(0, len(self.target), groups * GROUP):
            stop = min(start + groups * GROUP, len(self.target))
            words = slice(ends[start] - int(self.sizes[start]), ends[stop - 1])
            yield Examples(self.context[words], self.sizes[start:stop], self.target[start:stop])


def draw_examples(
    kind: Kind,
    text: Int[np.ndarray, "length"],
    sentence: Int[np.ndarray, "length"],
    reach: int,
    generator: np.random.Generator,
) -> Examples:
    """Return the examples of a text, shuffled; the last group is filled up with the first ones.

    Args:
        kind: "cbow" reads a window at once; "skip-gram" reads its words one by one.
        text, sentence, reach, generator: as for `windows`.
    """
    around, keep = windows(text, sentence, reach, generator)
    middle, column = np.nonzero(keep)
    if kind == "cbow":
        middle = np.flatnonzero(keep.any(axis=1))
    order = generator.permutation(len(middle))
    order = np.resize(order, -(-len(order) // GROUP) * GROUP)
    middle = middle[order]
    if kind == "cbow":
        context, sizes = around[middle][keep[middle]], keep[middle].sum(axis=1)
    else:
        context, sizes = around[middle, column[order]], np.ones_like(middle)
    return Examples(*map(torch.from_numpy, (context, sizes, text[middle])))


@torch.no_grad()
def step(
    model: Word2Vec, examples: Examples, negatives: Int[Tensor, "groups negatives"], rate: float
) -> None:
    """Change the vectors by one step down the summed loss of negative sampling.

    A word that is read with n - 1 others takes a step n times as long as the gradient's.

    Args:
        model: changed in place.
        examples: of all groups, one group after the other, each with as many examples.
        negatives: words drawn for each group.
        rate: of learning, above 0.
    """
    outputs = model.outputs.weight
    groups, count = negatives.shape
    h = _hidden(model, examples)
    u = outputs.index_select(0, examples.target)
    g = rate * (1 - (h * u).sum(dim=1, keepdim=True).sigmoid())  # (examples, 1)
    shared_h = h.view(groups, -1, h.shape[1])
    shared_u = outputs.index_select(0, negatives.flatten()).view(groups, count, -1)
    shared_g = (shared_h @ shared_u.mT).sigmoid_().mul_(-rate)  # (groups, examples of each, negatives)
    shared_g *= negatives.unsqueeze(1) != examples.target.view(groups, -1, 1)  # the true word is no negative
    to_h = (g * u).view_as(shared_h).baddbmm_(shared_g, shared_u)
    outputs.index_add_(0, examples.target, g * h)
    outputs.index_add_(0, negatives.flatten(), (shared_g.mT @ shared_h).view(groups * count, -1))
    _pass_back(model, examples, to_h.view_as(h))


@torch.no_grad()
def softmax_step(model: Word2Vec, examples: Examples, rate: float) -> None:
    """Change the vectors by one step down the summed loss of the full softmax, over every word.

    Args:
        model: changed in place.
        examples, rate: as for `step`; groups do not matter.
    """
    outputs = model.outputs.weight
    h = _hidden(model, examples)
    g = (h @ outputs.T).softmax(dim=1).mul_(-rate)  # (examples, vocabulary)
    g[torch.arange(len(h)), examples.target] += rate
    to_h = g @ outputs
    outputs.addmm_(g.T, h)
    _pass_back(model, examples, to_h)


def _hidden(model: Word2Vec, examples: Examples) -> Float[Tensor, "examples size"]:
    first = examples.sizes.cumsum(0) - examples.sizes
    total = functional.embedding_bag(examples.context, model.inputs.weight, first, mode="sum")
    return total / examples.sizes.unsqueeze(1)  # mode="mean" takes three times as long


def _pass_back(model: Word2Vec, examples: Examples, to_h: Float[Tensor, "examples size"]) -> None:
    """Move each word that was read by all that its example's mean vector learns."""
    moves = to_h.repeat_interleave(examples.sizes, dim=0)
    model.inputs.weight.index_add_(0, examples.context, moves)


def train_word_vectors(
    sentences: Sequence[Sequence[str]],
    kind: Kind = "skip-gram",
    size: int = 64,
    reach: int = 8,
    negatives: int | None = 8,
    epochs: int = 10,
    rate: float = 0.025,
    threshold: float = 3e-4,
    least: int = 5,
    seed: int = 0,
) -> WordVectors:
    """Learn a vector for each word from its neighbours.

    Args:
        sentences: the text.
        kind: "cbow" or "skip-gram".
        size: numbers in a vector.
        reach: the largest distance of a neighbour, 1 or more.
        negatives: samples for each example, 1 or more; None: every word (full softmax, slow).
        epochs: passes over the text, 1 or more.
        rate: of learning, at the start; it falls in a straight line to a hundredth.
        threshold: share of the text above which occurrences of a word are skipped at random; from 1 on none.
        least: rarer words are left out.
        seed: of the random numbers.

    Returns:
        the vectors, the most frequent word first.

    Raises:
        TypeError: a sentence is a string.
        ValueError: an argument is out of its range, no word is frequent enough, or none has a neighbour.
        ArithmeticError: the vectors have grown without bound.
    """
    batches = train_by_batch(sentences, kind, size, reach, negatives, epochs, rate, threshold, least, seed)
    (model,) = deque(batches, maxlen=1)
    vectors = model.inputs.weight.detach().numpy()
    if not np.isfinite(vectors).all():
        raise ArithmeticError(f"training diverged: vectors are not finite; lower the rate, which was {rate}")
    return WordVectors(tuple(count_words(sentences, least)), vectors, "", "")


def train_by_batch(
    sentences: Sequence[Sequence[str]],
    kind: Kind = "skip-gram",
    size: int = 64,
    reach: int = 8,
    negatives: int | None = 8,
    epochs: int = 10,
    rate: float = 0.025,
    threshold: float = 3e-4,
    least: int = 5,
    seed: int = 0,
) -> Iterator[Word2Vec]:
    """Learn as `train_word_vectors`, and look at the model before the first batch and after each.

    Args, Raises: as there; what is wrong shows at the first look.

    Yields:
        always the same model; its rows are the words of `count_words(sentences, least)`, in this order.
    """
    if kind not in get_args(Kind):
        raise ValueError(f"kind is {kind!r}; allowed are {', '.join(map(repr, get_args(Kind)))}")
    for name, value in {"size": size, "reach": reach, "negatives": negatives, "epochs": epochs}.items():
        if value is not None and value < 1:
            raise ValueError(f"{name} is {value}; allowed is 1 or more")
    for name, number in {"rate": rate, "threshold": threshold}.items():
        if not number > 0:
            raise ValueError(f"{name} is {number}; allowed is a number above 0")
    counted, text, sentence = _number_words(sentences, least)
    counts = np.array(list(counted.values()), float)
    chance = keep_probability(counts, threshold)[text]
    drawn_up_to = np.cumsum(counts**0.75) / (counts**0.75).sum()
    generator = np.random.default_rng(seed)
    torch.manual_seed(seed)
    model = Word2Vec(len(counted), size)
    read_share = counts * keep_probability(counts, threshold)
    groups = int(np.clip(OFTEN * read_share.sum() / read_share.max() / GROUP, 1, GROUPS))
    yield model
    for epoch in range(epochs):
        read = generator.random(len(text)) < chance
        examples = draw_examples(kind, text[read], sentence[read], reach, generator)
        for i, batch in enumerate(examples.batches(groups)):
            done = (epoch + i * groups * GROUP / len(examples.target)) / epochs
            now = rate * max(0.01, 1 - done)
            if negatives is None:
                softmax_step(model, batch, now)
            else:
                draws = generator.random((len(batch.target) // GROUP, negatives))
                drawn = np.searchsorted(drawn_up_to, draws).clip(max=len(counts) - 1)
                step(model, batch, torch.from_numpy(drawn), now)
            yield model


def _number_words(
    sentences: Sequence[Sequence[str]], least: int
) -> tuple[dict[str, int], Int[np.ndarray, "length"], Int[np.ndarray, "length"]]:
    """Return the counts, the words of all sentences as numbers, and the sentence of each."""
    if any(isinstance(sentence, str) for sentence in sentences):
        raise TypeError("a sentence is a str; needed is a sequence of words, such as text.split()")
    counted = count_words(sentences, least)
    if not counted:
        raise ValueError(f"no word stands {least} times or more in {len(sentences)} sentences")
    ids = {word: i for i, word in enumerate(counted)}
    numbered = [[ids[word] for word in sentence if word in ids] for sentence in sentences]
    if all(len(words) < 2 for words in numbered):
        raise ValueError(
            f"no sentence has two words that stand {least} times or more: no word has a neighbour"
        )
    text = np.concatenate([np.array(words, np.int64) for words in numbered])
    return counted, text, np.repeat(np.arange(len(numbered)), [len(words) for words in numbered])
