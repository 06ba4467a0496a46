import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.decoding import LengthPenalty, beam_search, greedy_search, reorder

ONE = torch.zeros(1, dtype=torch.long)
TABLE = torch.tensor([[0.1, 0.2, 0.3, 0.4, 0.5], [0.5, 0.4, 0.3, 0.2, 0.1]] * 5, dtype=torch.float64)
EOS = 0
PENALTIES = [
    LengthPenalty(),
    LengthPenalty("average", 1.0),
    LengthPenalty("average", 0.6),
    LengthPenalty("gnmt", 1.0),
]


def table_step(tokens, position):
    return TABLE[position].log(), position + 1


class CarriedMarkov:
    """The next token depends on the carried sum of all tokens, so that a state re-ordered wrongly shows."""

    def __init__(self, transitions):
        self.transitions = transitions

    def __call__(self, tokens, state):
        total = state + tokens
        return self.transitions[total % len(self.transitions)].log(), total


def random_transitions(seed, size):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(size, size, dtype=torch.float64, generator=generator).pow(2).softmax(dim=-1)


def enumerate_all(step, first, size, longest, penalty):
    """Every finished sequence of at most `longest` tokens, best score first."""
    found = []
    for length in range(1, longest + 1):
        for body in itertools.product([t for t in range(size) if t != EOS], repeat=length - 1):
            sequence = (*body, EOS)
            total, last, state = 0.0, torch.tensor([first]), torch.zeros(1, dtype=torch.long)
            for token in sequence:
                log_probs, state = step(last, state)
                total += float(log_probs[0, token])
                last = torch.tensor([token])
            found.append((penalty.score(total, length), total, sequence))
    return sorted(found, reverse=True)


def test_greedy_on_the_table():
    (found,) = greedy_search(table_step, ONE, ONE, None, 10)
    assert found.tokens == (4, 0, 4, 0, 4, 0, 4, 0, 4, 0)
    assert not found.finished


def test_beam_on_the_table():
    (found,) = beam_search(table_step, ONE, ONE, None, 10, beam_size=3)
    scores = [-hypothesis.log_prob for hypothesis in found.hypotheses]
    assert scores == [6.931471805599453, 7.154615356913663, 7.154615356913663]
    assert found.hypotheses[0].tokens == (4, 0, 4, 0, 4, 0, 4, 0, 4, 0)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 4), st.sampled_from(PENALTIES))
def test_a_wide_enough_beam_finds_what_exhaustive_enumeration_finds(seed, size, longest, penalty):
    step = CarriedMarkov(random_transitions(seed, size))
    wanted = enumerate_all(step, 1, size, longest, penalty)
    (found,) = beam_search(step, ONE, ONE + 1, EOS, longest, beam_size=size**longest, penalty=penalty)
    finished = [hypothesis for hypothesis in found.hypotheses if hypothesis.finished]
    assert len(finished) == len(wanted)
    assert finished[0].score == pytest.approx(wanted[0][0], abs=1e-12)
    assert sorted(h.tokens for h in finished) == sorted(sequence for *_, sequence in wanted)
    for hypothesis in finished:
        assert hypothesis.score == pytest.approx(penalty.score(hypothesis.log_prob, len(hypothesis.tokens)))


def simple_beam(step, first, size, longest, k, penalty):
    """Beam search for one sentence over whole token lists, without a carried state."""
    beams, finished = [((), 0.0)], []
    for _ in range(longest):
        candidates = []
        for tokens, total in beams:
            last, state = torch.tensor([first]), torch.zeros(1, dtype=torch.long)
            log_probs, state = step(last, state)
            for token in tokens:
                log_probs, state = step(torch.tensor([token]), state)
            candidates += [((*tokens, t), total + float(log_probs[0, t])) for t in range(size)]
        candidates.sort(key=lambda c: -c[1])
        finished += [c for c in candidates[:k] if c[0][-1] == EOS]
        beams = [c for c in candidates if c[0][-1] != EOS][:k]
    ranked = sorted(((penalty.score(t, len(s)), s) for s, t in finished), reverse=True)
    return ranked[:k]


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(3, 6), st.integers(1, 4), st.sampled_from(PENALTIES))
def test_narrow_beams_and_early_stopping_equal_a_plain_search_to_the_limit(seed, size, k, penalty):
    step = CarriedMarkov(random_transitions(seed, size))
    wanted = simple_beam(step, 1, size, 6, k, penalty)
    (found,) = beam_search(step, ONE, ONE + 1, EOS, 6, k, penalty)
    finished = [(h.score, h.tokens) for h in found.hypotheses if h.finished]
    assert [tokens for _, tokens in finished] == [tokens for _, tokens in wanted]
    assert [score for score, _ in finished] == pytest.approx([score for score, _ in wanted])


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(3, 6))
def test_a_beam_of_one_is_greedy(seed, size):
    step = CarriedMarkov(random_transitions(seed, size))
    (greedy,) = greedy_search(step, ONE, ONE + 1, EOS, 8)
    (beam,) = beam_search(step, ONE, ONE + 1, EOS, 8, 1)
    best = beam.hypotheses[0]
    if greedy.finished:
        assert best.tokens == greedy.tokens and best.log_prob == pytest.approx(greedy.log_prob)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.lists(st.integers(1, 4), min_size=1, max_size=6), st.integers(1, 4))
def test_a_sentence_is_searched_as_if_it_were_alone(seed, firsts, k):
    step = CarriedMarkov(random_transitions(seed, 5))
    together = torch.tensor(firsts)
    batch = beam_search(step, torch.zeros_like(together), together, EOS, 7, k)
    greedy = greedy_search(step, torch.zeros_like(together), together, EOS, 7)
    for first, found, taken in zip(firsts, batch, greedy, strict=True):
        alone = torch.tensor([first])
        assert [beam_search(step, ONE, alone, EOS, 7, k)[0].hypotheses] == [found.hypotheses]
        assert greedy_search(step, ONE, alone, EOS, 7) == [taken]


def test_the_first_finished_hypothesis_does_not_end_the_search():
    # Ending at once is the likeliest first token (0.4), yet "1 then end" is better by mean log-probability.
    transitions = torch.tensor(
        [[1.0, 0.0, 0.0], [0.99, 0.005, 0.005], [0.4, 0.35, 0.25]], dtype=torch.float64
    )

    def step(tokens, state):
        return transitions[tokens].log(), state

    (found,) = beam_search(step, None, ONE + 2, EOS, 5, 2, LengthPenalty("average"))
    assert found.hypotheses[0].tokens == (1, EOS)
    assert found.hypotheses[0].score == pytest.approx((math.log(0.35) + math.log(0.99)) / 2)
    (plain,) = beam_search(step, None, ONE + 2, EOS, 5, 2)
    assert plain.hypotheses[0].tokens == (EOS,)


def test_without_an_end_the_best_unfinished_is_returned_and_marked():
    def never_ends(tokens, state):
        return torch.tensor([[0.0, 0.7, 0.3]]).log().expand(len(tokens), 3), state

    (found,) = beam_search(never_ends, None, ONE, EOS, 4, 3)
    assert found.hypotheses[0].tokens == (1, 1, 1, 1) and not found.hypotheses[0].finished
    (greedy,) = greedy_search(never_ends, None, ONE, EOS, 4)
    assert greedy.tokens == (1, 1, 1, 1) and not greedy.finished


def test_greedy_stops_at_the_end_while_others_go_on():
    transitions = torch.tensor([[0.1, 0.9, 0.0], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1]])

    def step(tokens, state):
        return transitions[tokens].log(), state

    short, long = greedy_search(step, None, torch.tensor([1, 2]), EOS, 9)
    assert short.tokens == (EOS,) and long.tokens == (1, EOS)
    assert short.log_prob == pytest.approx(math.log(0.8)) and long.log_prob == pytest.approx(
        2 * math.log(0.8)
    )


def test_the_record_tells_the_search():
    step = CarriedMarkov(random_transitions(7, 6))
    (found,) = beam_search(step, ONE, ONE + 1, EOS, 5, 3, pieces=list("abcdef"), sources=["a source"])
    trace = found.trace
    best = found.hypotheses[0]
    assert tuple(trace.token_id[node] for node in trace.path(trace.best)[1:]) == best.tokens
    assert trace.total[trace.best] == pytest.approx(best.log_prob)
    assert trace.source == "a source" and trace.beam_size == 3
    for number in range(1, trace.last_step + 1):
        nodes = trace.nodes_at(number)
        kept = [node for node in trace.nodes_at(number - 1) if trace.status[node] == "kept"]
        everything = sorted(
            (total for node in kept for total in continuations(step, trace, node)), reverse=True
        )
        assert sum(trace.status[node] == "kept" for node in nodes) == 3
        for node in nodes:
            # The place among all continuations of the kept prefixes, recorded or not.
            assert trace.total[node] == pytest.approx(everything[trace.rank[node]])
            assert trace.rank[node] < 3 or trace.status[node] != "finished"


def continuations(step, trace, node):
    """The total log-probability of each way to go on from a node."""
    tokens = [1, *(int(trace.token_id[n]) for n in trace.path(node)[1:])]
    log_probs, _ = step(torch.tensor(tokens[-1:]), torch.tensor([sum(tokens[:-1])]))
    return [trace.total[node] + float(log_prob) for log_prob in log_probs[0]]


def test_of_equally_likely_tokens_the_smaller_numbers_stay():
    even = torch.full((1, 40), 1 / 40, dtype=torch.float64).log()
    (found,) = beam_search(lambda t, s: (even.expand(len(t), 40), s), None, ONE, None, 2, 3)
    assert [h.tokens for h in found.hypotheses] == [(0, 0), (0, 1), (0, 2)]


def test_a_reference_changes_no_search_and_is_recorded_as_far_as_it_goes():
    step = CarriedMarkov(random_transitions(7, 6))
    (free,) = beam_search(step, ONE, ONE + 1, EOS, 5, 2, pieces=list("abcdef"))
    for reference in itertools.product(range(6), repeat=2):
        (found,) = beam_search(step, ONE, ONE + 1, EOS, 5, 2, pieces=list("abcdef"), references=[reference])
        trace = found.trace
        assert found.hypotheses == free.hypotheses
        assert trace.reference.tolist() == list(reference)
        assert trace.reference_token == tuple("abcdef"[token] for token in reference)
        path = trace.reference_path()
        assert [int(trace.token_id[node]) for node in path[1:]] == list(reference[: len(path) - 1])
        # It ends where it was pruned, or with its own end or the sentence's.
        assert trace.status[path[-1]] != "kept" or len(path) == 3
        everything = sorted(continuations(step, trace, 0), reverse=True)
        assert trace.total[path[1]] == pytest.approx(everything[trace.rank[path[1]]])
    with pytest.raises(ValueError, match="references hold token 6; the vocabulary has 6"):
        beam_search(step, ONE, ONE + 1, EOS, 5, 2, pieces=list("abcdef"), references=[(6,)])


def test_without_pieces_nothing_is_recorded():
    (found,) = beam_search(table_step, ONE, ONE, None, 3, 2)
    assert found.trace is None


@pytest.mark.parametrize(
    ("penalty", "log_prob", "length", "score"),
    [
        (LengthPenalty(), -6.0, 3, -6.0),
        (LengthPenalty("average", 1.0), -6.0, 3, -2.0),
        (LengthPenalty("average", 0.0), -6.0, 3, -6.0),
        (LengthPenalty("gnmt", 1.0), -6.0, 1, -6.0),
        (LengthPenalty("gnmt", 1.0), -6.0, 7, -3.0),
    ],
)
def test_penalties_worked_by_hand(penalty, log_prob, length, score):
    assert penalty.score(log_prob, length) == pytest.approx(score)


def test_a_longer_hypothesis_is_helped_by_the_penalty_never_hurt():
    for kind in ("average", "gnmt"):
        scores = [LengthPenalty(kind, 0.7).score(-5.0, length) for length in range(1, 20)]
        assert scores == sorted(scores) and scores[0] < scores[-1]


def test_the_formula_says_what_is_computed():
    assert LengthPenalty("average", 0.6).formula == "log p / |y|^0.6 (|y| counts </s>)"
    assert LengthPenalty("gnmt", 1.0).formula == "log p / ((5 + |y|) / 6)^1 (|y| counts </s>)"
    assert LengthPenalty().formula == "log p"


@pytest.mark.usefixtures("unchecked")
def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="beam_size is 0; allowed is 1 or more"):
        beam_search(table_step, ONE, ONE, None, 3, 0)
    with pytest.raises(ValueError, match="max_length is 0; allowed is 1 or more"):
        beam_search(table_step, ONE, ONE, None, 0, 1)
    with pytest.raises(ValueError, match="max_length is 0"):
        greedy_search(table_step, ONE, ONE, None, 0)
    with pytest.raises(ValueError, match="kind is 'log'; allowed are 'none', 'average', 'gnmt'"):
        LengthPenalty("log")
    with pytest.raises(ValueError, match="alpha is -1"):
        LengthPenalty("average", -1)
    with pytest.raises(ValueError, match="gives every token probability 0"):
        beam_search(lambda t, s: (torch.full((1, 3), -torch.inf), s), None, ONE, EOS, 3, 2)


def test_states_of_every_kind_are_reordered():
    rows = torch.arange(3)
    state = {"h": (rows, [rows.unsqueeze(1)]), "none": None}
    again = reorder(state, torch.tensor([2, 2, 0]))
    assert again["h"][0].tolist() == [2, 2, 0] and again["h"][1][0].tolist() == [[2], [2], [0]]
    assert again["none"] is None
    with pytest.raises(TypeError, match="state holds a str"):
        reorder("text", rows)
