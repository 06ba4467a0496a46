"""How good is a text? BLEU and chrF by sacrebleu, CIDEr, and perplexity."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sacrebleu

Tokenizer = Literal["13a", "intl", "char", "none"]
LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Bleu:
    """A corpus BLEU score and how it was computed."""

    score: float  # 0 to 100
    signature: str  # sacrebleu's
    matches: tuple[int, ...]  # n-grams of 1 to 4 words that a reference has too, clipped
    totals: tuple[int, ...]  # n-grams of the hypotheses
    brevity_penalty: float  # 0 to 1


@dataclass(frozen=True)
class Chrf:
    """A corpus chrF score and how it was computed."""

    score: float  # 0 to 100
    signature: str  # sacrebleu's


def corpus_bleu(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], tokenize: Tokenizer = "13a"
) -> Bleu:
    """Score translations against all references of each sentence (Papineni et al. 2002; Post 2018).

        BLEU = 100 · BP · (p_1 p_2 p_3 p_4)^(1/4)     p_n = matches / totals,  BP = min(1, exp(1 − r / c))

    c is the length of all hypotheses, r that of the references next in length, in words. Where a p_n is
    without matches, sacrebleu takes a small number for it.

    Args:
        hypotheses: one translation a sentence.
        references: of each sentence a list of references, one or more; sentences may have different numbers.
        tokenize: what is a word; by default what sacrebleu and the literature take. "none" splits at spaces,
            "char" takes characters.

    Raises:
        TypeError: the hypotheses or a sentence's references are one string, not a list.
        ValueError: there are no hypotheses, a list is empty, or there are more of one than of the other.
    """
    streams = _streams(hypotheses, references)
    metric = sacrebleu.BLEU(tokenize=tokenize, force=True)
    found = metric.corpus_score(hypotheses, streams)
    return Bleu(found.score, str(metric.get_signature()), tuple(found.counts), tuple(found.totals), found.bp)


def bleu_spread(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], resamples: int = 1000
) -> float:
    """Return the standard error of BLEU: how far it moves with the choice of the test sentences.

    Sentences are drawn anew, with replacement, and scored (Koehn 2004, Statistical significance tests for
    machine translation evaluation); sacrebleu's 95 % interval is 1.96 standard errors to each side.

    Args:
        hypotheses, references: see `corpus_bleu`; they are refused for the same reasons.
        resamples: draws, 2 or more.

    Raises:
        ValueError: `resamples` is below 2.
    """
    if resamples < 2:
        raise ValueError(f"resamples is {resamples}; allowed is 2 or more")
    streams = _streams(hypotheses, references)
    found = sacrebleu.BLEU(force=True).corpus_score(hypotheses, streams, n_bootstrap=resamples)
    return float(found._ci) / 1.96


def corpus_chrf(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], word_order: Literal[0, 2] = 0
) -> Chrf:
    """Score translations by their runs of 1 to 6 characters (Popović 2015); chrF++ counts words too (2017).

        chrF = 100 · (1 + β²) P R / (β² P + R)      β = 2: recall counts more than precision

    P and R are means over the lengths of the runs; spaces do not count. The best of several
    references counts.

    Args:
        hypotheses, references: see `corpus_bleu`; they are refused for the same reasons.
        word_order: 0 for chrF; 2 for chrF++, which adds words and pairs of words.
    """
    streams = _streams(hypotheses, references)
    metric = sacrebleu.CHRF(word_order=word_order)
    return Chrf(metric.corpus_score(hypotheses, streams).score, str(metric.get_signature()))


def _streams(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> list[Any]:
    """Return what sacrebleu wants: first references, second ones, …; None where a sentence has no more."""
    if isinstance(hypotheses, str):
        raise TypeError(f"hypotheses is the string {hypotheses!r}; allowed is a list of strings")
    if not hypotheses:
        raise ValueError("there are no hypotheses; at least one is needed")
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses came with {len(references)} lists of references")
    for i, given in enumerate(references):
        if isinstance(given, str):
            raise TypeError(
                f"references[{i}] is the string {given!r}; allowed is a list of strings, even for one"
            )
        if not given:
            raise ValueError(f"references[{i}] is empty; every sentence needs at least one reference")
    most = max(map(len, references))
    return [[given[k] if k < len(given) else None for given in references] for k in range(most)]


def corpus_cider(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Score descriptions by the cosine of their n-gram counts, rare n-grams weighing more.

        g_k(s) = h_k(s) / Σ_l h_l(s) · log(N / df_k)
        CIDEr  = mean over n = 1…4, sentences and references of  g(c) · g(r) / (|g(c)| |g(r)|)

    h_k(s) counts n-gram k in s; df_k counts the sentences, of N, of which any reference has it. Words are
    what stands between spaces. A side without n-grams, or with common ones only, gives a cosine of 0.

    Args:
        hypotheses, references: see `corpus_bleu`; they are refused for the same reasons.

    Returns:
        0 to 1. Others print ten times as much.

    Source: Vedantam, Zitnick and Parikh 2015, "CIDEr: Consensus-based image description evaluation",
    equations 1 to 3. No stemming, and not the variant CIDEr-D.
    """
    _streams(hypotheses, references)
    total = 0.0
    for n in range(1, 5):
        seen = Counter(k for given in references for k in {k for text in given for k in _ngrams(text, n)})
        rarity = {k: math.log(len(references) / count) for k, count in seen.items()}
        for hypothesis, given in zip(hypotheses, references, strict=True):
            ours = _weighted(hypothesis, n, rarity, len(references))
            total += sum(_cosine(ours, _weighted(r, n, rarity, len(references))) for r in given) / len(given)
    return min(total / (4 * len(hypotheses)), 1.0)  # rounding may pass above


def _ngrams(text: str, n: int) -> Counter[tuple[str, ...]]:
    words = text.split()
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def _weighted(
    text: str, n: int, rarity: dict[tuple[str, ...], float], sentences: int
) -> dict[tuple[str, ...], float]:
    """Weight n-gram counts; one that no reference has is as rare as one that one has."""
    counts = _ngrams(text, n)
    return {k: count / counts.total() * rarity.get(k, math.log(sentences)) for k, count in counts.items()}


def _cosine(a: dict[tuple[str, ...], float], b: dict[tuple[str, ...], float]) -> float:
    lengths = math.hypot(*a.values()) * math.hypot(*b.values())
    return sum(value * b.get(k, 0.0) for k, value in a.items()) / lengths if lengths else 0.0


def perplexity(nats: float, tokens: int) -> float:
    """Return exp(nats / tokens): cross-entropy over real tokens, padding counted in neither.

    Raises:
        ValueError: there are no tokens.
    """
    if tokens < 1:
        raise ValueError(f"tokens is {tokens}; perplexity needs at least 1")
    return math.exp(nats / tokens)


def letter_runs(text: str) -> list[str]:
    """Return the lower-case runs of letters of a text: "L'été, 40 ans" gives l, été, ans."""
    return LETTERS.findall(unicodedata.normalize("NFC", text).lower())


def invented_words(hypothesis: str, known: Container[str], source: str = "") -> list[str]:
    """Return the words of a translation that neither the target language nor its source has.

    A translator that writes in pieces can put together a word that no one has ever written.

    Args:
        hypothesis: the translation.
        known: words of the target language, as `letter_runs` gives them.
        source: what was translated; a name may be copied from it.
    """
    copied = set(letter_runs(source))
    return [word for word in letter_runs(hypothesis) if word not in known and word not in copied]
