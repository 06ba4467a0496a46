"""The coverage penalty: by hand, and inside a beam search against plain loops over whole hypotheses."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.applications.translator import Translator
from course_lib.decoding import LengthPenalty, beam_search
from course_lib.decoding.penalty import CoveragePenalty
from course_lib.seq2seq import EncoderDecoder
from course_lib.seq2seq.sutskever import Sutskever
from course_lib.seq2seq.transformer import Transformer
from course_lib.text import BytePairEncoding

ONE = torch.zeros(1, dtype=torch.long)
EOS, SIZE, LONGEST = 0, 4, 5
ALL = torch.ones(3, dtype=torch.bool)


def test_worked_by_hand() -> None:
    # Three source tokens: one looked at in full, one at a half, one more than once (counts as once).
    covered = torch.tensor([1.0, 0.5, 1.7])
    assert CoveragePenalty(0.2).score(covered, ALL).item() == pytest.approx(0.2 * math.log(0.5))
    assert CoveragePenalty(0.0).score(covered, ALL).item() == 0


def test_padding_costs_nothing_and_a_forgotten_token_costs_much_but_not_everything() -> None:
    covered = torch.tensor([[1.0, 0.5, 0.0], [1.0, 0.5, 0.0]])
    keep = torch.tensor([[True, True, False], [True, True, True]])
    padded, forgotten = CoveragePenalty(1.0).score(covered, keep).tolist()
    assert padded == pytest.approx(math.log(0.5))
    assert -100 < forgotten < -80 and math.isfinite(forgotten)


def test_wrong_weights_are_refused() -> None:
    with pytest.raises(ValueError, match=r"beta is -0\.1; allowed is 0 or more"):
        CoveragePenalty(-0.1)
    with pytest.raises(ValueError, match="beta is nan"):
        CoveragePenalty(math.nan)


class Looking:
    """The next token and the place looked at depend on the sum of all tokens; it returns its weights too."""

    def __init__(self, seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.tokens = torch.rand(SIZE, SIZE, dtype=torch.float64, generator=generator).pow(2).softmax(-1)
        self.places = torch.randn(SIZE, 3, dtype=torch.float64, generator=generator).mul(3).softmax(-1)

    def __call__(self, tokens, state):
        total = (state + tokens) % SIZE
        return self.tokens[total].log(), total, self.places[total]


def plain_search(step, first, k, penalty, coverage, keep):
    """Beam search to the limit over whole token lists: coverage is summed anew for every hypothesis."""

    def walk(tokens):
        last, state, looked = torch.tensor([first]), ONE, []
        for token in tokens:
            log_probs, state, weights = step(last, state)
            looked.append(weights[0])
            last = torch.tensor([token])
        log_probs, _, _ = step(last, state)
        return log_probs[0], looked

    beams, finished = [((), 0.0)], []
    for _ in range(LONGEST):
        candidates = [
            ((*tokens, t), total + float(walk(tokens)[0][t])) for tokens, total in beams for t in range(SIZE)
        ]
        candidates.sort(key=lambda c: -c[1])
        finished += [c for c in candidates[:k] if c[0][-1] == EOS]
        beams = [c for c in candidates if c[0][-1] != EOS][:k]
    ranked = []
    for tokens, total in finished:
        got = [sum(float(weights[i]) for weights in walk(tokens)[1]) for i in range(3)]
        cp = coverage.beta * sum(math.log(min(p, 1)) for p, kept in zip(got, keep, strict=True) if kept)
        ranked.append((penalty.score(total, len(tokens)) + cp, tokens))
    return sorted(ranked, reverse=True)[:k]


@settings(max_examples=40)
@given(
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.2, 1.0, 3.0]),
    st.sampled_from([LengthPenalty(), LengthPenalty("gnmt", 0.6), LengthPenalty("average")]),
    st.sampled_from([(True, True, True), (True, True, False)]),
)
def test_search_with_coverage_equals_plain_loops(seed, k, beta, penalty, keep) -> None:
    step, coverage = Looking(seed), CoveragePenalty(beta)
    wanted = plain_search(step, 1, k, penalty, coverage, keep)
    (found,) = beam_search(
        step, ONE, ONE + 1, EOS, LONGEST, k, penalty, coverage=coverage, keep=torch.tensor([keep])
    )
    finished = [(h.score, h.tokens) for h in found.hypotheses if h.finished]
    assert [tokens for _, tokens in finished] == [tokens for _, tokens in wanted]
    assert [score for score, _ in finished] == pytest.approx([score for score, _ in wanted])


def test_a_sentence_is_covered_as_if_it_were_alone_and_the_record_holds_its_scores() -> None:
    step, coverage = Looking(3), CoveragePenalty(0.7)
    firsts = torch.tensor([1, 2, 3])
    together = beam_search(
        step, torch.zeros_like(firsts), firsts, EOS, 6, 3, pieces="abcd", coverage=coverage
    )
    for first, found in zip(firsts, together, strict=True):
        (alone,) = beam_search(step, ONE, first[None], EOS, 6, 3, coverage=coverage)
        assert alone.hypotheses == found.hypotheses
        assert found.trace.score[found.trace.best] == pytest.approx(found.hypotheses[0].score)
        assert found.trace.penalty == "log p + 0.7 Σ_j log min(Σ_i α_ij, 1)"


def test_coverage_prefers_the_hypothesis_that_left_nothing_out() -> None:
    # Token 1 looks at place 0 only; token 2 is less likely at first and looks at both.
    def step(tokens, state):
        probabilities = torch.tensor([[0.01, 0.6, 0.39], [0.98, 0.01, 0.01], [0.98, 0.01, 0.01]])[tokens]
        looked = torch.tensor([[0.5, 0.5], [0.9, 0.1], [0.5, 0.5]])[tokens]
        return probabilities.log(), state, looked

    def best(beta):
        (found,) = beam_search(step, ONE, ONE, EOS, 4, 2, coverage=CoveragePenalty(beta))
        return found.hypotheses[0].tokens

    assert best(0.0) == (1, EOS) and best(2.0) == (2, EOS)


def test_a_step_without_weights_is_named() -> None:
    two = lambda tokens, state: (torch.zeros(len(tokens), SIZE), state)  # noqa: E731
    three = lambda tokens, state: (torch.zeros(len(tokens), SIZE), state, None)  # noqa: E731
    for step in (two, three):
        with pytest.raises(ValueError, match="coverage penalty needs attention weights"):
            beam_search(step, ONE, ONE, EOS, 3, 2, coverage=CoveragePenalty(0.1))


@pytest.fixture(scope="module")
def encoding() -> BytePairEncoding:
    return BytePairEncoding.train(["a b c d e f", "u v w"], 3)


def test_a_translator_carries_its_attention_through_the_search(encoding: BytePairEncoding) -> None:
    torch.manual_seed(0)
    texts = ["a b c d", "f"]
    models = (
        EncoderDecoder("bahdanau", len(encoding), 8, 8),
        Transformer(len(encoding), 8, 2, 2, 16, encoding.pad_id),
    )
    for model in models:
        translator = Translator(model, encoding, "random")
        (found, _) = translator.translate(texts, 3, LengthPenalty(), 8, CoveragePenalty(0.5))
        result = translator.search(texts[0], 3, LengthPenalty(), 8, CoveragePenalty(0.5))
        assert result.trace.source == texts[0] and "0.5 Σ_j" in result.trace.penalty
        # The weights of a whole pass over the winner are those that the search summed up.
        cp = 0.5 * sum(math.log(min(p, 1)) for p in found.attention.sum(axis=0))
        assert result.hypotheses[0].score == pytest.approx(found.log_prob + cp, abs=1e-4)


def test_a_model_without_attention_says_so(encoding: BytePairEncoding) -> None:
    translator = Translator(Sutskever(len(encoding), 8, 8, 1), encoding, "none")
    with pytest.raises(ValueError, match="needs attention weights, and the step returned none"):
        translator.translate(["a"], 2, coverage=CoveragePenalty(0.2))
