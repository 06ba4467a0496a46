"""Beam search on every kind of translation model: sources of different lengths, states re-ordered."""

import pytest
import torch

from course_lib.decoding import LengthPenalty, beam_search
from course_lib.decoding.blocking import BlockRepeats
from course_lib.decoding.penalty import CoveragePenalty
from course_lib.seq2seq.character import CharacterDecoder
from course_lib.seq2seq.convs2s import ConvS2S
from course_lib.seq2seq.gnmt import GNMT
from course_lib.seq2seq.model import DECODERS, EncoderDecoder
from course_lib.seq2seq.sutskever import Sutskever
from course_lib.seq2seq.transformer import Transformer

VOCABULARY, BOS, EOS, PAD, LONGEST = 20, 1, 2, 0, 7
SOURCE = torch.tensor([[5, 6, 7, 8, 3, 9, 2], [9, 5, 2, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0]])
KINDS = {
    **{name: (EncoderDecoder, (name, VOCABULARY, 6, 8)) for name in DECODERS},
    "sutskever": (Sutskever, (VOCABULARY, 6, 8, 2)),
    "gnmt": (GNMT, (VOCABULARY, 6, 8, 4)),
    "convs2s": (ConvS2S, (VOCABULARY, 8, 3, 3)),
    "character": (CharacterDecoder, (VOCABULARY, VOCABULARY, 6, 4, 8)),
    "transformer": (Transformer, (VOCABULARY, 8, 2, 2, 16, PAD)),
}


def model_of(kind):
    """A small one in float64, whose random weights leave the beam much to choose from."""
    torch.manual_seed(3)
    family, sizes = KINDS[kind]
    return family(*sizes).double().eval()


def step_of(model):
    def step(tokens, state):
        evidence, state, weights = model.step(tokens, state)
        if weights is not None:
            weights = weights.flatten(1, -2).mean(dim=1) if weights.dim() > 2 else weights
        return model.logits(evidence).log_softmax(dim=-1), state, weights

    return step


def search(model, source, size=4, coverage=None):
    blocked = BlockRepeats(step_of(model), 2)
    with torch.no_grad():
        state = blocked.start(model.start(source))
    step = blocked if coverage else lambda tokens, state: blocked(tokens, state)[:2]
    first = torch.full((len(source),), BOS)
    penalty = LengthPenalty("average")
    keep = source != PAD
    return beam_search(step, state, first, EOS, LONGEST, size, penalty, coverage=coverage, keep=keep)


@pytest.mark.parametrize("kind", KINDS)
def test_each_source_is_searched_as_if_alone_and_every_total_is_that_of_a_whole_pass(kind):
    model = model_of(kind)
    together = search(model, SOURCE)
    for row, found in zip(SOURCE, together, strict=True):
        source = row[row != PAD][None]
        (alone,) = search(model, source)
        assert [h.tokens for h in found.hypotheses] == [h.tokens for h in alone.hypotheses]
        for hypothesis in found.hypotheses:
            # Teacher forcing has no state to re-order.
            written = torch.tensor([[BOS, *hypothesis.tokens[:-1]]])
            with torch.no_grad():
                logits, _ = model(source, written)
            gains = logits[0].log_softmax(-1)[range(len(hypothesis.tokens)), list(hypothesis.tokens)]
            assert hypothesis.log_prob == pytest.approx(float(gains.sum()), abs=1e-9)
    assert len({h.tokens[:-1] for h in together[0].hypotheses}) > 1  # several prefixes, so several states


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("cho", "sutskever")])
def test_blocking_and_coverage_work_together_on_every_model_with_attention(kind):
    model, coverage = model_of(kind), CoveragePenalty(0.5)
    for row, found in zip(SOURCE, search(model, SOURCE, coverage=coverage), strict=True):
        source = row[row != PAD][None]
        for hypothesis in found.hypotheses:
            pairs = list(zip((BOS, *hypothesis.tokens), hypothesis.tokens, strict=False))
            assert len(pairs) == len(set(pairs))
            with torch.no_grad():
                _, weights = model(source, torch.tensor([[BOS, *hypothesis.tokens[:-1]]]))
            looked = weights[0].flatten(0, -3).mean(dim=0) if weights.dim() > 3 else weights[0]
            cp = 0.5 * float(looked.sum(dim=0).clamp(max=1).log().sum())
            average = hypothesis.log_prob / len(hypothesis.tokens)
            assert hypothesis.score == pytest.approx(average + cp, abs=1e-6)
