"""Word ordering: the task, the constraint, and that every way of training runs and goes on after a pause."""

from collections import Counter
from dataclasses import replace

import pytest
import torch

from course_experiments.translation import word_ordering
from course_experiments.translation.word_ordering import (
    Task,
    load_task,
    order_words,
    ordering_bleu,
    shuffled_pairs,
    train_all,
    word_ordering_results,
)
from course_lib.applications.orderer import Orderer, begin, only_remaining, remaining_words
from course_lib.data.special import BEGIN, END, PAD
from course_lib.training.loop import Schedule

torch.set_num_threads(1)
SENTENCES = [[3, 4, 5, 9], [5, 4, 3, 6, 9], [3, 3, 7, 9], [8, 7, 6, 5, 9], [4, 8, 9], [6, 3, 8, 4, 9]]
TASK = Task(("<pad>", "<s>", "</s>", *"abcdef", "."), SENTENCES * 4, SENTENCES, SENTENCES)


def test_sentences_are_known_words_and_no_test_sentence_is_trained_on():
    task = load_task()
    assert len(task.train) > 10_000 and len(task.test) > 300
    assert not {*map(tuple, task.test)} & {*map(tuple, task.train)}
    assert all(5 <= len(sentence) <= 10 and min(sentence) > END for sentence in task.validation)
    assert task.vocabulary[task.train[0][0]].islower()


def test_shuffling_keeps_the_words_and_depends_on_the_seed_alone():
    pairs = shuffled_pairs(SENTENCES, 5)
    for (source, target), sentence in zip(pairs, SENTENCES, strict=True):
        assert Counter(source) == Counter([*sentence, END])
        assert source[-1] == END and target == [BEGIN, *sentence, END]
    assert pairs == shuffled_pairs(SENTENCES, 5) != shuffled_pairs(SENTENCES, 6)


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_constrained_search_writes_each_source_word_as_often_as_it_stands_there(normalised, beam_size):
    torch.manual_seed(1)
    model = Orderer(len(TASK.vocabulary), 16)
    sources = [source for source, _ in shuffled_pairs(SENTENCES, 0)]
    for written, sentence in zip(
        order_words(model, sources, beam_size, True, normalised), SENTENCES, strict=True
    ):
        assert Counter(written) == Counter(sentence)
    free = order_words(model, sources, beam_size, False, normalised)
    assert any(Counter(a) != Counter(b) for a, b in zip(free, SENTENCES, strict=True))


def test_the_constraint_counts_what_is_written():
    torch.manual_seed(1)
    model = Orderer(len(TASK.vocabulary), 16)
    step = only_remaining(model.score)
    state = begin(model, torch.tensor([[3, 4, 3, END]]), True)
    allowed = []
    for token in (BEGIN, 3, 4, 3, END):
        scores, state = step(torch.tensor([token]), state)
        allowed.append(scores[0].isfinite().nonzero().flatten().tolist())
    assert allowed == [[3, 4], [3, 4], [3], [END], [END]]


def test_perfect_order_scores_100_and_unfinished_stops_are_left_to_sacrebleu(monkeypatch, capsys):
    monkeypatch.setattr(word_ordering, "order_words", lambda *_: SENTENCES)
    assert ordering_bleu(Orderer(len(TASK.vocabulary), 16), TASK, SENTENCES, 1, False, True) == pytest.approx(
        100
    )
    assert not capsys.readouterr().err


def test_all_ways_of_training_run_learn_and_are_not_repeated(tmp_path, monkeypatch):
    schedule = Schedule(epochs=8, learning_rate=0.02, warmup=4, patience=99)
    monkeypatch.setattr(word_ordering, "PRETRAINING", schedule)
    monkeypatch.setattr(word_ordering, "BEAM_SEARCH", replace(schedule, epochs=3, learning_rate=0.003))
    trained = train_all(TASK, 0, tmp_path)
    assert set(trained) == set(word_ordering.MODELS)
    for name, (model, progress) in trained.items():
        assert progress.stopped == "finished"
        before = 30 if name in word_ordering.NORMALISED else 20
        assert ordering_bleu(model, TASK, SENTENCES, 3, True, name in word_ordering.NORMALISED) > before
    started = trained["start"][0].state_dict()
    for name in ("bso", "conbso", "more", "longer-conbso", "longer-more"):
        assert any(not torch.equal(started[k], v) for k, v in trained[name][0].state_dict().items())
    monkeypatch.setattr(word_ordering, "find_violations", None)  # a second run would need it
    again = train_all(TASK, 0, tmp_path)
    assert torch.equal(again["bso"][0].bias, trained["bso"][0].bias)


def test_results_hold_mean_and_spread_and_the_published_value_of_the_same_search(tmp_path, monkeypatch):
    values = {0: 20.0, 1: 24.0}
    monkeypatch.setattr(word_ordering, "side_by_side", lambda run, jobs: [run(*job) for job in jobs])
    monkeypatch.setattr(word_ordering, "SEEDS", (0, 1))
    monkeypatch.setattr(
        word_ordering,
        "measure_seed",
        lambda folder, seed: {
            "bso-free-beam5": values[seed],
            "bso-constrained-beam5": values[seed],
            "bso-epoch2": 50.0 + seed,
            "bso-cpu-minutes": 1.0,
        },
    )
    free, constrained, epoch, minutes = word_ordering_results(tmp_path)
    assert free.value == 22 and free.spread == pytest.approx(8**0.5, abs=1e-4) and free.published is None
    assert constrained.published == 33.2 and "memory" in constrained.published_source
    assert epoch.value == 50.5 and "validation BLEU" in epoch.metric and "epoch 2" in epoch.metric
    assert minutes.id == "word-ordering-bso-cpu-minutes" and minutes.published is None


def test_padding_is_no_word():
    assert PAD == 0 and not remaining_words(torch.tensor([[3, END, PAD, PAD]]), 5)[0, PAD]
