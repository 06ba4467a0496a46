"""Is attention an alignment? Compare where translators look with links drawn by hand.

Everything is measured with the French sentence given (forced), on the pairs of `load_alignment_gold`.
"""

from collections.abc import Sequence, Set
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float

from course_experiments.protocol import Experiment, measuring
from course_experiments.results import Measurement
from course_lib.applications.translator import Translator, load_translator
from course_lib.data.alignment_gold import (
    CLASSES,
    AlignedPair,
    load_alignment_gold,
    split_english,
    split_french,
)
from course_lib.data.tatoeba import load_tatoeba
from course_lib.metrics.alignment import (
    Link,
    LinkCounts,
    bootstrap_error_rates,
    interval,
    strongest_links,
)
from course_lib.seq2seq.alignment import word_alignment
from course_lib.seq2seq.ibm_model1 import IBMModel1

IBM_STEPS = 5
MEASURED = {  # end of a result's id -> how its links were found
    "": "",
    "-consumed": " of the weights one step later",
    "-chosen-head": " of the head that is best on the other half",
    "-consumed-chosen-head": " of the weights one step later, of the head that is best on the other half",
}
PUBLISHED = {
    "luong-general-aer": (
        0.34,
        "Luong et al. 2015, table 6, local-m (general), English-German, 508 sentences (RWTH); another "
        "language pair and gold standard, and local attention: compare gaps, not levels",
    )
}
ATTENTIVE = (
    "bahdanau",
    "luong_dot",
    "luong_general",
    "luong_concat",
    "transformer",
    "bahdanau_large",
    "transformer_large",
)

Links = Sequence[Set[Link]]  # one set a pair
Head = tuple[int, ...]  # (layer, head), counted from 0
Maps = Float[np.ndarray, "*layers_heads _target _source_and_end"]  # each pair has lengths of its own


class WordAttention(NamedTuple):
    """Where a model looks for each French word of one pair; the last column is "</s>".

    While a word is `predicted`, the decoder has not read it. It is `consumed` one step later: now the decoder
    has read it, and looks for the next one.
    """

    predicted: Maps
    consumed: Maps


def word_attention(translator: Translator, pair: AlignedPair) -> WordAttention:
    """Force the French sentence, and put the weights of pieces together into words."""
    trace = translator.attention_trace(pair.source, pair.target)
    pieces = trace.queries[:-1]  # without "</s>", which nobody has aligned

    def by_word(weights: np.ndarray) -> np.ndarray:
        return word_alignment(weights, trace.keys, pieces).weights

    return WordAttention(by_word(trace.weights[..., :-1, :]), by_word(trace.weights[..., 1:, :]))


def attention_links(weights: Float[np.ndarray, "target source_and_end"]) -> set[Link]:
    """Link each target word to the source word that it looks at most; none where that is "</s>"."""
    end = weights.shape[1] - 1
    return {(target, source) for target, source in strongest_links(weights) if source != end}


def diagonal_links(targets: int, sources: int) -> set[Link]:
    """Link each target word to the source word at the same share of the sentence: look at no word at all."""
    return {(target, int((target + 0.5) * sources / targets)) for target in range(targets)}


def train_ibm_model1(pairs: int | None = None, steps: int = IBM_STEPS) -> IBMModel1:
    """Learn IBM model 1 from the training pairs, in lower case.

    Args:
        pairs: how many of them, from the first; None takes all 60,000 (seconds).
        steps: of expectation and maximisation.
    """
    training = load_tatoeba("fra").train[:pairs]
    model = IBMModel1([(split_english(p.source.lower()), split_french(p.target.lower())) for p in training])
    for _ in range(steps):
        model.step()
    return model


def baseline_links(pairs: Sequence[AlignedPair], ibm: IBMModel1) -> dict[str, list[set[Link]]]:
    """Return the links of the two aligners that use no network: the diagonal, and IBM model 1."""
    return {
        "diagonal": [diagonal_links(len(pair.target_words), len(pair.source_words)) for pair in pairs],
        "IBM model 1": [
            ibm.align([w.lower() for w in pair.source_words], [w.lower() for w in pair.target_words])
            for pair in pairs
        ],
    }


def count(found: Links, pairs: Sequence[AlignedPair], word_class: str | None = None) -> list[LinkCounts]:
    """Count, pair by pair, what `found` has right.

    Args:
        found: the links of each pair.
        pairs: as many.
        word_class: count only the links of French words of this class; None counts all.
    """

    def chosen(links: Set[Link], pair: AlignedPair) -> set[Link]:
        return {link for link in links if word_class in (None, pair.classes[link[0]])}

    return [
        LinkCounts.of(chosen(links, pair), chosen(pair.sure, pair), chosen(pair.possible, pair))
        for links, pair in zip(found, pairs, strict=True)
    ]


def mean_links(maps: Sequence[Maps]) -> list[set[Link]]:
    """Return the links of the mean over all layers and heads."""
    return [attention_links(weights.mean(axis=(0, 1))) for weights in maps]


def head_counts(maps: Sequence[Maps], pairs: Sequence[AlignedPair]) -> dict[Head, list[LinkCounts]]:
    """Count the links of every head alone; a head is (layer, head), from 0."""
    return {
        head: count([attention_links(weights[head]) for weights in maps], pairs)
        for head in np.ndindex(maps[0].shape[:2])
    }


def chosen_head_links(
    maps: Sequence[Maps], pairs: Sequence[AlignedPair]
) -> tuple[list[set[Link]], tuple[Head, Head]]:
    """Link each half of the sentences by the head that is best on the other half.

    Chosen and measured on the same sentences, the best of many heads would look better than it is.

    Returns:
        the links of each pair, and the heads: of the 1st, 3rd, … pair, and of the 2nd, 4th, … pair.
    """
    counts = head_counts(maps, pairs)

    def best(half: int) -> Head:
        return min(counts, key=lambda head: LinkCounts.total(counts[head][half::2]).score.error_rate)

    chosen = (best(1), best(0))
    return [attention_links(weights[chosen[i % 2]]) for i, weights in enumerate(maps)], chosen


def row_bits(weights: Float[np.ndarray, "target source_and_end"]) -> Float[np.ndarray, "target"]:
    """Return the entropy of each target word's weights in bits, -Σ w log2 w."""
    return np.asarray(torch.special.entr(torch.from_numpy(weights)).sum(dim=-1) / np.log(2))


def gold_mass(
    weights: Float[np.ndarray, "target source_and_end"], pair: AlignedPair
) -> Float[np.ndarray, "target"]:
    """Return the share of each target word's weight that lies on source words linked to it by hand."""
    mass = np.zeros(len(weights))
    for target, source in pair.sure | pair.possible:
        mass[target] += weights[target, source]
    return mass


def by_class(
    values: Sequence[Float[np.ndarray, "_target"]], pairs: Sequence[AlignedPair]
) -> dict[str, Float[np.ndarray, "words"]]:
    """Sort the values of all French words by the words' class."""
    sorted_values: dict[str, list[float]] = {}
    for row, pair in zip(values, pairs, strict=True):
        for value, word_class in zip(row, pair.classes, strict=True):
            sorted_values.setdefault(word_class, []).append(float(value))
    return {word_class: np.array(found) for word_class, found in sorted_values.items()}


def alignment_results(
    names: Sequence[str] = ATTENTIVE, training_pairs: int | None = None
) -> list[Measurement]:
    """Measure the baselines and shipped translators that look at the source, for the register.

    Args:
        names: of the translators.
        training_pairs: what IBM model 1 learns from; None takes all.
    """
    pairs = load_alignment_gold()
    results = []
    for name, links in baseline_links(pairs, train_ibm_model1(training_pairs)).items():
        results += error_rate_results(name.lower().replace(" ", "-"), "", links, pairs)
    for name in names:
        translator = load_translator(name)
        attention = [word_attention(translator, pair) for pair in pairs]
        slug = name.replace("_", "-")
        for when in WordAttention._fields:
            maps = [getattr(looks, when) for looks in attention]
            suffix = "" if when == "predicted" else f"-{when}"
            results += error_rate_results(slug, suffix, mean_links(maps), pairs)
            if maps[0].shape[:2] != (1, 1):
                links, _ = chosen_head_links(maps, pairs)
                results += error_rate_results(slug, f"{suffix}-chosen-head", links, pairs)
        means = [looks.predicted.mean(axis=(0, 1)) for looks in attention]
        masses = [gold_mass(rows, pair) for rows, pair in zip(means, pairs, strict=True)]
        for key, what, values in (
            ("bits", "mean entropy of a word's weights in bits", by_class([*map(row_bits, means)], pairs)),
            ("gold-mass", "mean share of a word's weight on words linked by hand", by_class(masses, pairs)),
        ):
            for word_class, found in ({"": np.concatenate([*values.values()])} | values).items():
                results.append(
                    _result(
                        f"{slug}-{key}" + (f"-{word_class}" if word_class else ""),
                        f"{name}: {what}, {len(found)} French words"
                        + (f" ({word_class}s)" if word_class else ""),
                        float(found.mean()),
                        None,
                    )
                )
    return results


def error_rate_results(
    slug: str, suffix: str, links: Links, pairs: Sequence[AlignedPair]
) -> list[Measurement]:
    """Return the AER over all words with its 95 % bootstrap interval; for predicted words also by class."""
    how = MEASURED[suffix]
    results = []
    for word_class in (None, *CLASSES.values()) if "consumed" not in suffix else (None,):
        counts = count(links, pairs, word_class)
        drawn = bootstrap_error_rates(counts)
        total = LinkCounts.total(counts)
        id = f"{slug}-aer{suffix}" + (f"-{word_class}" if word_class else "")
        about = f"{len(pairs)} hand-aligned pairs, {total.sure} sure links"
        metric = f"{slug}: AER{how}, {word_class or 'all words'}, {about}"
        spread = float(np.nanstd(drawn))
        results.append(
            _result(id, f"{metric}; spread: bootstrap of the pairs", total.score.error_rate, spread)
        )
        if word_class is None:
            for end, value in zip(("low", "high"), interval(drawn), strict=True):
                results.append(
                    _result(f"{id}-{end}", f"{metric}; {end} end of the 95 % interval", value, None)
                )
    return results


def _result(id: str, metric: str, value: float, spread: float | None) -> Measurement:
    published, source = PUBLISHED.get(id, (None, ""))
    return Measurement(f"alignment-{id}", "alignment", metric, value, spread, published, source)


EXPERIMENTS = [
    Experiment(
        "alignment",
        "word alignments: IBM model 1 and the attention of the shipped translators",
        1,
        measuring(alignment_results),
    )
]
