"""How good is a translator? BLEU by sacrebleu, and perplexity."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sacrebleu


@dataclass(frozen=True)
class Bleu:
    """A corpus BLEU score and how it was computed."""

    score: float  # 0 to 100
    signature: str  # sacrebleu's


def corpus_bleu(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Bleu:
    """Score translations against all references of each sentence (Papineni et al. 2002; Post 2018).

    Args:
        hypotheses: one translation a sentence.
        references: of each sentence a list of references, one or more; sentences may have different numbers.

    Raises:
        TypeError: a sentence's references are one string, not a list.
        ValueError: there are no hypotheses, a list is empty, or there are more of one than of the other.
    """
    if not hypotheses:
        raise ValueError("there are no hypotheses; BLEU needs at least one")
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
    # sacrebleu wants a stream for the first references, one for the second, …; None where there is none.
    streams: list[Any] = [[given[k] if k < len(given) else None for given in references] for k in range(most)]
    metric = sacrebleu.BLEU()
    return Bleu(metric.corpus_score(hypotheses, streams).score, str(metric.get_signature()))


def perplexity(nats: float, tokens: int) -> float:
    """Return exp(nats / tokens): cross-entropy over real tokens, padding counted in neither.

    Raises:
        ValueError: there are no tokens.
    """
    if tokens < 1:
        raise ValueError(f"tokens is {tokens}; perplexity needs at least 1")
    return math.exp(nats / tokens)
