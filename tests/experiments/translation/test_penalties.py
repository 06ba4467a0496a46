"""The grid of length and coverage penalties: every pair is searched, the choice is made on validation."""

import pytest
import torch

from course_experiments.translation.penalties import (
    Penalised,
    Tuned,
    best_pairs,
    penalty_grid,
    penalty_results,
)
from course_lib.applications.translator import Translator
from course_lib.data import ReferencedSentence
from course_lib.decoding import LengthPenalty
from course_lib.decoding.penalty import CoveragePenalty
from course_lib.metrics.text import corpus_bleu
from course_lib.seq2seq import EncoderDecoder
from course_lib.text import BytePairEncoding

SENTENCES = [
    ReferencedSentence("c b a", ("où va là où va",)),
    ReferencedSentence("a", ("là où va où",)),
    ReferencedSentence("b a", ("va là où !",)),
]


@pytest.fixture(scope="module")
def translator() -> Translator:
    torch.manual_seed(0)
    encoding = BytePairEncoding.train(["a b c où va là ! là où"], 4)
    return Translator(EncoderDecoder("bahdanau", len(encoding), 8, 8), encoding, "random")


def test_every_pair_is_searched_with_its_own_penalties(translator: Translator) -> None:
    grid = penalty_grid(translator, SENTENCES, (0.0, 1.0), (0.0, 2.0), beam_size=3)
    assert [(pair.alpha, pair.beta) for pair in grid] == [(0, 0), (0, 2), (1, 0), (1, 2)]
    for alpha, beta, bleu in grid:
        texts = [
            translator.translate([s.source], 3, LengthPenalty("gnmt", alpha), None, CoveragePenalty(beta))[
                0
            ].text
            for s in SENTENCES
        ]
        assert bleu == pytest.approx(corpus_bleu(texts, [s.references for s in SENTENCES]).score)


def test_the_choice_keeps_length_alone_apart_from_both() -> None:
    grid = [Penalised(0, 0, 30.0), Penalised(0, 0.2, 33.0), Penalised(1, 0, 31.0), Penalised(1, 0.2, 32.0)]
    chosen = best_pairs(grid)
    assert chosen == {"none": grid[0], "length": grid[2], "both": grid[1]}
    results = penalty_results("luong_dot", Tuned(grid, chosen))
    values = {result.id: result.value for result in results}
    assert values["penalties-luong-dot-both-bleu-beam5"] == 33.0
    assert values["penalties-luong-dot-length-alpha"] == 1 and values["penalties-luong-dot-both-beta"] == 0.2
    assert values["penalties-luong-dot-validation-alpha1-beta02"] == 32.0
    assert len(values) == len(results) == 13


def test_a_negative_weight_is_refused(translator: Translator) -> None:
    with pytest.raises(ValueError, match="beta is -1"):
        penalty_grid(translator, SENTENCES, (0.0,), (-1.0,))
