"""What is trained on, what is judged, and what is made of the losses."""

from types import SimpleNamespace

import pytest

from course_experiments.protocol import Budget
from course_experiments.translation import summary_sizes
from course_experiments.translation.summary_sizes import Losses, learn, results, short
from course_lib.data import SentencePair, load_tatoeba


def test_short_pairs_are_taken_from_all_over():
    pairs = [SentencePair(" ".join("a" * (1 + i % 6)), str(i)) for i in range(60)]
    chosen = short(pairs, 10)
    assert len(chosen) == 10 and all(len(pair.source.split()) <= 5 for pair in chosen)
    assert int(chosen[-1].target) > 50


def test_a_model_learns_what_it_reads_by_heart_and_others_not_so_well(monkeypatch):
    data = load_tatoeba("fra")
    few = SimpleNamespace(train=data.train[:400], validation=data.validation[:100])
    monkeypatch.setattr(summary_sizes, "load_tatoeba", lambda _: few)
    monkeypatch.setattr(summary_sizes, "PASSES", 6)
    found = learn(32, 0)
    assert len(found.learnt) == len(found.others) == 6
    assert found.learnt[-1] < found.learnt[0] - 0.5
    assert found.learnt[-1] < found.others[-1]


def test_the_lowest_loss_and_its_pass_are_found():
    runs = [Losses([3, 2, 1], [3, 2.5, 2.75]), Losses([3, 2, 2], [3, 2.5, 2.0])]
    values = {measured.id: measured.value for measured in results(64, runs)}
    assert values == {
        "summary-64-learnt": 1.5,
        "summary-64-others": pytest.approx(2.375),
        "summary-64-lowest": 2.25,
        "summary-64-best-pass": 2.5,
    }


def test_a_run_that_pauses_goes_on(tmp_path, monkeypatch):
    asked = []

    def once(size, seed):
        asked.append((size, seed))
        return Losses([float(size)], [1.0])

    monkeypatch.setattr(summary_sizes, "learn", once)
    assert summary_sizes.run(Budget(tmp_path, minutes=0)).paused and not asked
    first = summary_sizes.run(Budget(tmp_path)).measurements
    assert len(asked) == 9
    assert summary_sizes.run(Budget(tmp_path)).measurements == first and len(asked) == 9
