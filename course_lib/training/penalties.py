"""Try pairs of length and coverage penalty on held-out sentences (Wu et al. 2016, table 2)."""

from collections.abc import Sequence
from typing import NamedTuple

from course_lib.data import ReferencedSentence
from course_lib.decoding import LengthPenalty
from course_lib.decoding.penalty import CoveragePenalty
from course_lib.seq2seq.translator import Translator
from course_lib.training.metrics import corpus_bleu


class Penalised(NamedTuple):
    """BLEU of one pair of penalties."""

    alpha: float
    beta: float
    bleu: float


def penalty_grid(
    translator: Translator,
    sentences: Sequence[ReferencedSentence],
    alphas: Sequence[float],
    betas: Sequence[float],
    beam_size: int = 5,
) -> list[Penalised]:
    """Translate with every pair of a length power α and a coverage weight β; one search for each pair.

    Raises:
        ValueError: the model has no attention, or a power or weight is negative.
    """
    ordered = sorted(sentences, key=lambda sentence: len(sentence.source))  # little padding
    references = [sentence.references for sentence in ordered]
    grid = []
    for alpha in alphas:
        for beta in betas:
            penalty, coverage = LengthPenalty("gnmt", alpha), CoveragePenalty(beta)
            texts: list[str] = []
            for start in range(0, len(ordered), 64):
                chosen = [sentence.source for sentence in ordered[start : start + 64]]
                found = translator.translate(chosen, beam_size, penalty, coverage=coverage)
                texts += [translation.text for translation in found]
            grid.append(Penalised(alpha, beta, corpus_bleu(texts, references).score))
    return grid
