"""Training word vectors fast: the gradient of negative sampling written out, and many windows at a time.

    g = label − σ(u · h)      label 1 for the word that is there, 0 for a word drawn at random
    u += rate · g h           h += rate · g u

As in word2vec's own program, frequent words are skipped at random, the reach of a window is drawn anew for
each word, and rivals are drawn in proportion to count^¾. Unlike there, the words of a window share their
rivals (Ji et al. 2016, Parallelizing Word2Vec in Shared and Distributed Memory, section 3): the products
become matrix products.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.data.words import WordVectors
from course_lib.words.word2vec import Word2Vec

Kind = Literal["cbow", "skip-gram"]
BATCH = 128  # windows; all of them see the vectors as they were before the batch


def count_words(sentences: Sequence[Sequence[str]], least: int = 5) -> dict[str, int]:
    """Return word -> how often, the most frequent first, without the rarer than `least`."""
    counted = Counter(word for sentence in sentences for word in sentence)
    return {word: count for word, count in counted.most_common() if count >= least}


def keep_probability(counts: Float[np.ndarray, "words"], threshold: float) -> Float[np.ndarray, "words"]:
    """Return the chance that an occurrence of each word is read: frequent words are skipped.

        p = min(1, √(t / f) + t / f)        f: the word's share of the text

    Source: word2vec's program; the paper (2013b, equation 5) has √(t / f) alone.
    """
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
    """
    offsets = np.array([o for o in range(-reach, reach + 1) if o])
    places = np.arange(len(text))[:, None] + offsets
    inside = (places >= 0) & (places < len(text))
    places = places.clip(0, len(text) - 1)
    near = np.abs(offsets) <= generator.integers(1, reach + 1, (len(text), 1))
    return text[places], inside & near & (sentence[places] == sentence[:, None])


@torch.no_grad()
def step(
    model: Word2Vec,
    kind: Kind,
    context: Int[Tensor, "batch window"],
    keep: Bool[Tensor, "batch window"],
    target: Int[Tensor, "batch"],
    negatives: Int[Tensor, "batch rivals"],
    rate: float,
) -> None:
    """Change the vectors by one step down the summed loss of negative sampling.

    Args:
        model: changed in place.
        kind: "cbow" reads a window at once; "skip-gram" reads its words one by one.
        context, keep: the words of each window, and which of them are real.
        target: the word in the middle.
        negatives: rivals of each target.
        rate: of learning, above 0.
    """
    inputs, outputs = model.inputs.weight, model.outputs.weight
    guessed = torch.cat((target.unsqueeze(1), negatives), dim=1)
    label = torch.zeros(guessed.shape[1])
    label[0] = 1
    counts = torch.ones(guessed.shape)
    counts[:, 1:] = negatives != target.unsqueeze(1)  # the true word is no rival of itself
    share = keep.to(inputs.dtype)
    if kind == "cbow":
        share = share / share.sum(dim=1, keepdim=True)
    v, u = inputs[context], outputs[guessed]
    h = share.unsqueeze(1) @ v if kind == "cbow" else v
    g = rate * (label - (h @ u.mT).sigmoid()) * counts.unsqueeze(1)  # (batch, read at a time, guessed)
    if kind == "cbow":
        to_v = share.unsqueeze(2) * (g @ u)
    else:
        g = g * share.unsqueeze(2)
        to_v = g @ u
    size = inputs.shape[1]
    outputs.index_add_(0, guessed.flatten(), (g.mT @ h).reshape(-1, size))
    inputs.index_add_(0, context.flatten(), to_v.reshape(-1, size))


def train_word_vectors(
    sentences: Sequence[Sequence[str]],
    kind: Kind = "skip-gram",
    size: int = 64,
    reach: int = 8,
    negatives: int = 8,
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
        negatives: rivals of each word, 1 or more.
        epochs: passes over the text, 1 or more.
        rate: of learning, at the start; it falls in a straight line to a hundredth.
        threshold: share of the text above which occurrences of a word are skipped at random.
        least: rarer words are left out.
        seed: of the random numbers.

    Returns:
        the vectors, the most frequent word first.

    Raises:
        ValueError: an argument is out of its range, or no word is frequent enough.
    """
    if kind not in ("cbow", "skip-gram"):
        raise ValueError(f"kind is {kind!r}; allowed are 'cbow', 'skip-gram'")
    numbers = {"size": size, "reach": reach, "negatives": negatives, "epochs": epochs}
    for name, value in numbers.items():
        if value < 1:
            raise ValueError(f"{name} is {value}; allowed is 1 or more")
    counted = count_words(sentences, least)
    if not counted:
        raise ValueError(f"no word stands {least} times or more in {len(sentences)} sentences")
    ids = {word: i for i, word in enumerate(counted)}
    numbered = [[ids[word] for word in sentence if word in ids] for sentence in sentences]
    text = np.concatenate([np.array(words, np.int64) for words in numbered])
    sentence = np.repeat(np.arange(len(numbered)), [len(words) for words in numbered])
    counts = np.array(list(counted.values()), float)
    chance = keep_probability(counts, threshold)[text]
    rivals = np.cumsum(counts**0.75) / (counts**0.75).sum()
    generator = np.random.default_rng(seed)
    torch.manual_seed(seed)
    model = Word2Vec(len(counted), size)
    for epoch in range(epochs):
        read = generator.random(len(text)) < chance
        context, keep = windows(text[read], sentence[read], reach, generator)
        order = generator.permutation(np.flatnonzero(keep.any(axis=1)))
        drawn = np.searchsorted(rivals, generator.random((len(order), negatives))).clip(max=len(counts) - 1)
        target = text[read][order]
        context, keep = context[order], keep[order]
        for start in range(0, len(order), BATCH):
            now = slice(start, start + BATCH)
            done = (epoch + start / len(order)) / epochs
            around, real, word, others = (torch.from_numpy(a[now]) for a in (context, keep, target, drawn))
            step(model, kind, around, real, word, others, rate * max(0.01, 1 - done))
    return WordVectors(tuple(counted), model.inputs.weight.detach().numpy(), "", "")
