"""Searches and draws against the tree of all strings, enumerated by plain loops over hundreds of models."""

import itertools
import math
from collections import Counter

import pytest
import torch
from scipy import stats

from course_lib.decoding import BlockRepeats, LengthPenalty, beam_search, greedy_search, sample

BOS, EOS, LONGEST = 1, 0, 9
PENALTIES = [
    LengthPenalty(),
    LengthPenalty("average"),
    LengthPenalty("average", 0.5),
    LengthPenalty("gnmt", 0.6),
    LengthPenalty("gnmt", 1.0),
]


class Remembering:
    """A random model: the next token depends on the source, on the number of tokens, and on each of them.

    Its state is nested, and one part grows: if one is re-ordered wrongly, the probabilities are wrong.
    """

    def __init__(self, seed, size):
        generator = torch.Generator().manual_seed(seed)
        scores = torch.randn(3, LONGEST, size, size, dtype=torch.float64, generator=generator)
        self.size, self.steps, self.tables = size, 0, (1.5 * scores).log_softmax(dim=-1)

    def start(self, sources):
        count = torch.zeros_like(sources)
        return {"source": sources, "written": ([torch.empty(len(sources), 0, dtype=torch.long)], count)}

    def __call__(self, tokens, state):
        self.steps += 1
        [cache], count = state["written"]
        cache = torch.cat([cache, tokens.unsqueeze(1)], dim=1)
        key = (cache * torch.arange(1, cache.shape[1] + 1)).sum(dim=1) % self.size
        log_probs = self.tables[state["source"], count, key]
        return log_probs, {"source": state["source"], "written": ([cache], count + 1)}

    def row(self, source, written):
        """The next token's log-probabilities, in plain Python."""
        tokens = (BOS, *written)
        key = sum((i + 1) * token for i, token in enumerate(tokens)) % self.size
        return self.tables[source, len(written), key].tolist()

    def log_prob(self, source, sequence):
        return sum(self.row(source, sequence[:i])[token] for i, token in enumerate(sequence))

    def search(self, sources, longest, k, penalty=LengthPenalty(), **others):
        sources = torch.tensor(sources)
        first = torch.full_like(sources, BOS)
        return beam_search(self, self.start(sources), first, EOS, longest, k, penalty, **others)


def all_strings(size, longest):
    """Every string that ends, of at most `longest` tokens, and every one that the limit cuts off."""
    going_on = [token for token in range(size) if token != EOS]
    ended = [(*body, EOS) for n in range(longest) for body in itertools.product(going_on, repeat=n)]
    return ended, list(itertools.product(going_on, repeat=longest))


def ranked(model, source, strings, penalty):
    totals = [(model.log_prob(source, string), string) for string in strings]
    return sorted(((penalty.score(total, len(string)), string) for total, string in totals), reverse=True)


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda p: f"{p.kind}-{p.alpha}")
def test_a_beam_that_holds_everything_is_exhaustive_enumeration(penalty):
    for seed in range(60):  # 300 models with the five penalties, two sentences each
        size, longest = 2 + seed % 3, 1 + seed % 4
        model = Remembering(seed, size)
        ended, cut_off = all_strings(size, longest)
        for source, found in enumerate(model.search([0, 1], longest, size**longest, penalty)):
            wanted = ranked(model, source, ended, penalty) + ranked(model, source, cut_off, penalty)
            assert [h.tokens for h in found.hypotheses] == [string for _, string in wanted]
            assert [h.score for h in found.hypotheses] == pytest.approx([score for score, _ in wanted])
            assert all(h.finished == (h.tokens[-1] == EOS) for h in found.hypotheses)


def test_a_beam_of_one_over_the_best_probability_finds_the_best_string_and_stops_early():
    # Prefixes of one length share a probability of 1: at most 1 / p* are likelier than the best string.
    longest, stopped_early = 6, 0
    ended, _ = all_strings(3, longest)
    for seed in range(30):
        model = Remembering(seed, 3)
        (best, string), *_ = ranked(model, 2, ended, LengthPenalty())
        k = math.ceil(math.exp(-best))
        (found,) = model.search([2], longest, k)
        assert found.hypotheses[0].tokens == string
        stopped_early += model.steps < longest
    assert stopped_early > 15


def plain_beam(model, source, longest, k, penalty):
    """Beam search over whole strings, always to the limit."""
    beam, finished = [(0.0, ())], []
    for _ in range(longest):
        candidates = sorted(
            (
                (total + gain, (*written, token))
                for total, written in beam
                for token, gain in enumerate(model.row(source, written))
            ),
            reverse=True,
        )
        finished += [c for c in candidates[:k] if c[1][-1] == EOS]
        beam = [c for c in candidates if c[1][-1] != EOS][:k]
    return sorted(((penalty.score(total, len(s)), s) for total, s in finished), reverse=True)[:k]


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda p: f"{p.kind}-{p.alpha}")
def test_stopping_early_loses_nothing_and_no_sentence_disturbs_another(penalty):
    longest, steps = LONGEST, []
    for seed in range(12):
        size, k = 3 + seed % 3, 1 + seed % 4
        model = Remembering(seed, size)
        alone = [model.search([source], longest, k, penalty)[0] for source in range(3)]
        steps.append(model.steps)
        for batch in ([0, 1], [2, 1, 0], [1, 1, 2, 0, 2]):
            together = model.search(batch, longest, k, penalty)
            assert [r.hypotheses for r in together] == [alone[source].hypotheses for source in batch]
        for source, found in enumerate(alone):
            wanted = plain_beam(model, source, longest, k, penalty)
            finished = [(h.score, h.tokens) for h in found.hypotheses if h.finished]
            assert [tokens for _, tokens in finished] == [tokens for _, tokens in wanted]
            assert [score for score, _ in finished] == pytest.approx([score for score, _ in wanted])
    assert min(steps) < 3 * longest  # some did stop early


def test_finished_hypotheses_neither_expand_nor_shrink_the_beam():
    finished_early = 0
    for seed in range(40):
        size, k = 3 + seed % 4, 1 + seed % 5
        model = Remembering(seed, size)
        (found,) = model.search([seed % 3], 7, k, LengthPenalty("average"), pieces="abcdef")
        trace, open_before = found.trace, 1
        for step in range(1, trace.last_step + 1):
            statuses = Counter(trace.status[node] for node in trace.nodes_at(step))
            # Every prefix can go on with any token but the end; k of all these go on, whatever finishes.
            assert statuses["kept"] == min(k, open_before * (size - 1))
            assert statuses["finished"] <= k
            finished_early += statuses["finished"] * (step < trace.last_step)
            open_before = statuses["kept"]
    assert finished_early > 100


def test_nodes_are_matched_by_ids_where_all_pieces_look_alike():
    model = Remembering(4, 4)
    (found,) = model.search([0], 5, 3, pieces=["same", "same", "same", "</s>"])
    trace = found.trace
    paths = {tuple(trace.token_id[node] for node in trace.path(n)[1:]) for n in range(len(trace))}
    assert len(paths) == len(trace)
    assert tuple(trace.token_id[node] for node in trace.path(trace.best)[1:]) == found.hypotheses[0].tokens
    for node in range(1, len(trace)):
        string = tuple(int(trace.token_id[n]) for n in trace.path(node)[1:])
        assert trace.total[node] == pytest.approx(model.log_prob(0, string))


@pytest.mark.parametrize("n", [2, 3])
def test_blocked_repeats_leave_exactly_the_strings_without_any(n):
    longest = 5
    ended, _ = all_strings(3, longest)
    grams = {s: [(BOS, *s)[i : i + n] for i in range(len(s) + 2 - n)] for s in ended}
    allowed = [s for s in ended if len(set(grams[s])) == len(grams[s])]
    assert 0 < len(allowed) < len(ended)
    for seed in range(10):
        model = Remembering(seed, 3)
        blocked, source = BlockRepeats(model, n), torch.tensor([seed % 3])
        start = blocked.start(model.start(source))
        (found,) = beam_search(blocked, start, 0 * source + BOS, EOS, longest, 3**longest)
        wanted = ranked(model, seed % 3, allowed, LengthPenalty())
        assert [h.tokens for h in found.hypotheses if h.finished] == [string for _, string in wanted]


def test_the_limit_cuts_off_no_last_word_and_an_end_at_the_limit_counts():
    model = Remembering(0, 4)
    (found,) = model.search([0], 3, 4**3)
    for hypothesis in found.hypotheses:
        assert hypothesis.log_prob == pytest.approx(model.log_prob(0, hypothesis.tokens))
        assert hypothesis.finished or len(hypothesis.tokens) == 3
    assert any(h.finished and len(h.tokens) == 3 for h in found.hypotheses)

    def never_ends(tokens, state):
        return torch.tensor([[-torch.inf, -1.0, -2.0]]).expand(len(tokens), 3), state

    for k in (1, 2, 9):
        (found,) = beam_search(never_ends, None, torch.tensor([BOS]), EOS, 2, k)
        best = found.hypotheses[0]
        assert best.tokens == (1, 1) and best.log_prob == -2 and not best.finished


def test_greedy_is_the_likeliest_token_again_and_again_up_to_the_end():
    for seed in range(100):
        model = Remembering(seed, 4)
        sources = torch.tensor([0, 1, 2])
        for source, found in enumerate(greedy_search(model, model.start(sources), 0 * sources + BOS, EOS, 6)):
            written = ()
            while len(written) < 6 and EOS not in written:
                row = model.row(source, written)
                written += (row.index(max(row)),)
            assert found.tokens == written and found.finished == (EOS in written)


def drawn_row(row, temperature, top_k, nucleus):
    """The probabilities a token is drawn from, in plain Python."""
    weights = [math.exp(x / temperature) for x in row]
    order = sorted(range(len(row)), key=lambda token: -weights[token])[:top_k]
    total, kept, share = sum(weights[token] for token in order), [], 0.0
    for token in order:
        if share < nucleus:
            kept.append(token)
        share += weights[token] / total
    return {token: weights[token] / sum(weights[t] for t in kept) for token in kept}


@pytest.mark.parametrize(
    ("temperature", "top_k", "nucleus"),
    [(1.0, 4, 1.0), (0.6, 4, 1.0), (1.7, 3, 1.0), (1.0, 4, 0.7), (1.4, 3, 0.8)],
)
def test_strings_are_drawn_as_often_as_the_cut_tree_says(temperature, top_k, nucleus):
    model, longest, draws = Remembering(11, 4), 3, 6000
    ended, cut_off = all_strings(4, longest)
    expected = {}
    for string in ended + cut_off:
        rows = [drawn_row(model.row(0, string[:i]), temperature, top_k, nucleus) for i in range(len(string))]
        expected[string] = math.prod(row.get(token, 0.0) for row, token in zip(rows, string, strict=True))
    assert sum(expected.values()) == pytest.approx(1)
    sources = torch.zeros(draws, dtype=torch.long)
    generator = torch.Generator().manual_seed(0)
    found = sample(
        model, model.start(sources), sources + BOS, EOS, longest, temperature, top_k, nucleus, generator
    )
    counts = Counter(hypothesis.tokens for hypothesis in found)
    possible = [string for string, p in expected.items() if p > 0]
    assert set(counts) <= set(possible)
    rare = [string for string in possible if draws * expected[string] < 5]  # too rare for the test: one class
    classes = [[string] for string in possible if string not in rare] + ([rare] if rare else [])
    seen = [sum(counts[string] for string in group) for group in classes]
    wanted = [draws * sum(expected[string] for string in group) for group in classes]
    assert stats.chisquare(seen, wanted).pvalue > 1e-3
