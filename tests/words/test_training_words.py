from collections import Counter

import numpy as np
import pytest
import torch
from scipy import stats

from course_lib.words import nearest, train_by_batch, train_word_vectors, training
from course_lib.words.training import GROUP, count_words, draw_examples, keep_probability, windows


def test_windows_hold_every_pair_of_the_plain_loop_and_no_other():
    generator = np.random.default_rng(0)
    sentence = np.sort(generator.integers(0, 6, 40))
    context, keep = windows(np.arange(40), sentence, 3, np.random.default_rng(1))
    reach = np.random.default_rng(1).integers(1, 4, (40, 1))[:, 0]
    for i in range(40):
        expected = [j for j in range(40) if j != i and abs(i - j) <= reach[i] and sentence[j] == sentence[i]]
        assert sorted(context[i][keep[i]]) == expected


def test_every_reach_is_drawn_equally_often():
    _, keep = windows(np.zeros(6000, int), np.zeros(6000, int), 4, np.random.default_rng(0))
    drawn = Counter(keep[4:-4].sum(axis=1).tolist())
    assert sorted(drawn) == [2, 4, 6, 8]
    assert stats.chisquare([drawn[n] for n in (2, 4, 6, 8)]).pvalue > 1e-3


def test_frequent_words_are_skipped_as_worked_by_hand():
    # shares 0.9 and 0.1, t = 0.009: t/f = 0.01 and 0.09, √ = 0.1 and 0.3
    assert keep_probability(np.array([90.0, 10.0]), 0.009) == pytest.approx([0.11, 0.39])
    assert keep_probability(np.array([90.0, 10.0]), 1.0).tolist() == [1, 1]


def test_rare_words_are_left_out_and_frequent_ones_come_first():
    assert list(count_words([["a", "b", "b"], ["c", "b", "a"]], least=2).items()) == [("b", 3), ("a", 2)]


@pytest.mark.parametrize("kind", ["cbow", "skip-gram"])
def test_examples_are_those_of_the_windows_in_another_order(kind):
    text, sentence = np.arange(100, 150), np.sort(np.random.default_rng(0).integers(0, 6, 50))
    around, keep = windows(text, sentence, 3, np.random.default_rng(1))
    drawn = draw_examples(kind, text, sentence, 3, np.random.default_rng(1))
    ends = drawn.sizes.cumsum(0).tolist()
    starts = [0, *ends[:-1]]
    found = [
        (target, tuple(drawn.context[start:end].tolist()))
        for target, start, end in zip(drawn.target.tolist(), starts, ends, strict=True)
    ]
    whole = [(int(word), tuple(around[i][keep[i]].tolist())) for i, word in enumerate(text) if keep[i].any()]
    expected = whole if kind == "cbow" else [(word, (near,)) for word, window in whole for near in window]
    assert len(found) % GROUP == 0
    again = found[len(expected) :]  # they fill the last group
    assert Counter(found[: len(expected)]) == Counter(expected) and again == found[: len(again)]
    assert found[: len(expected)] != expected

    batches = list(drawn.batches(1))
    assert [len(batch.target) for batch in batches] == [GROUP] * (len(found) // GROUP)
    assert [word for batch in batches for word in batch.context.tolist()] == drawn.context.tolist()
    assert all(batch.sizes.sum() == len(batch.context) for batch in batches)


@pytest.mark.parametrize("negatives", [3, None])
@pytest.mark.parametrize("kind", ["cbow", "skip-gram"])
def test_words_of_the_same_company_get_vectors_of_the_same_direction(kind, negatives):
    generator = np.random.default_rng(0)
    company = {"north": ["snow", "ice", "fir"], "south": ["palm", "sand", "sun"]}
    sentences = []
    for _ in range(150):
        words = company[("north", "south")[generator.integers(2)]]
        sentences.append([*generator.choice(words, 4), *generator.choice(words, 4)])
    vectors = train_word_vectors(
        sentences, kind, size=8, reach=3, negatives=negatives, epochs=10, rate=0.03, threshold=1
    )
    for words in company.values():
        for word in words:
            assert {near for near, _ in nearest(vectors, [word], count=2)} == set(words) - {word}


def test_the_same_seed_gives_the_same_vectors():
    sentences = [list("abcab"), list("bca")] * 10
    first, second = (train_word_vectors(sentences, size=4, epochs=2, seed=3) for _ in range(2))
    assert np.array_equal(first.vectors, second.vectors) and first.words == second.words


def test_training_can_be_watched_and_ends_with_the_same_vectors():
    sentences = [list("abcab"), list("bca")] * 10
    seen = [
        model.inputs.weight.detach().clone()
        for model in train_by_batch(sentences, size=4, epochs=3, seed=3, threshold=1)
    ]
    whole = train_word_vectors(sentences, size=4, epochs=3, seed=3, threshold=1)
    assert np.array_equal(whole.vectors, seen[-1].numpy())
    assert len(seen) > 1
    assert seen[0].abs().max() <= 0.5 / 4 < seen[-1].abs().max()  # as it is drawn, and learned


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "glove"}, "kind is 'glove'; allowed are 'cbow', 'skip-gram'"),
        ({"size": 0}, "size is 0; allowed is 1 or more"),
        ({"rate": -0.1}, "rate is -0.1; allowed is a number above 0"),
        ({"threshold": 0}, "threshold is 0; allowed is a number above 0"),
        ({"least": 50}, "no word stands 50 times or more in 10 sentences"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        train_word_vectors([["a", "b"]] * 10, **arguments)


def test_a_text_that_teaches_nothing_is_refused():
    with pytest.raises(ValueError, match="no word has a neighbour"):
        train_word_vectors([["a"], ["b"]] * 10)


def test_vectors_that_grow_without_bound_are_an_error():
    generator = np.random.default_rng(0)
    with pytest.raises(ArithmeticError, match=r"training diverged.*lower the rate, which was 1000\.0"):
        train_word_vectors(
            generator.choice(list("abcd"), (100, 8)).tolist(), size=4, rate=1000.0, threshold=1
        )


@pytest.mark.parametrize(("threshold", "groups"), [(1, 1), (2e-3, 9)])
def test_a_word_that_stands_everywhere_makes_batches_small(threshold, groups, monkeypatch):
    """Half of this text is one word: 20 / 0.5 = 40 examples, one group.

    Read with p = √0.004 + 0.004 = 0.067 it is 0.063 of what is read: 20 / 0.063 = 318 examples, nine groups.
    """
    rare = [f"w{i}" for i in range(2000)]
    sentences = [[w for word in rare[i : i + 20] for w in ("the", word)] for i in range(0, 2000, 20)]
    seen = []
    monkeypatch.setattr(training, "step", lambda model, batch, rivals, rate: seen.append(len(batch.target)))
    train_word_vectors(sentences, size=2, epochs=1, threshold=threshold, least=1)
    assert max(seen) == groups * GROUP


def test_sentences_that_are_strings_are_refused():
    with pytest.raises(TypeError, match="a sentence is a str; needed is a sequence of words"):
        train_word_vectors(["a wide road"] * 10)


@pytest.fixture
def seen_steps(monkeypatch):
    """Train without changing a vector; return what each step was given."""
    steps = []

    def note(model, batch, negatives, rate):
        steps.append((batch, negatives, rate))

    monkeypatch.setattr(training, "step", note)
    return steps


def test_negatives_are_drawn_by_count_to_the_power_of_three_quarters(seen_steps):
    sentences = [["a"] * 160 + ["b"] * 80 + ["c"] * 10] * 20
    train_word_vectors(sentences, size=2, negatives=20, epochs=1, threshold=1.0, seed=1)
    drawn = torch.cat([negatives.flatten() for _, negatives, _ in seen_steps])
    share = torch.bincount(drawn, minlength=3).double() / len(drawn)
    expected = torch.tensor([160, 80, 10]).double() ** 0.75
    expected /= expected.sum()
    error = (expected * (1 - expected) / len(drawn)).sqrt()
    assert ((share - expected).abs() < 4.5 * error).all()
    for power in (0.5, 1.0):  # and the test could tell these
        other = torch.tensor([160, 80, 10]).double() ** power
        assert ((share - other / other.sum()).abs() > 9 * error).any()


def test_frequent_words_are_skipped_when_read_and_when_guessed(seen_steps):
    sentences = [["the", word] * 2 for word in "abcdefghij" * 50]
    train_word_vectors(sentences, size=2, epochs=1, threshold=1e-2, seed=2)
    target = torch.cat([batch.target for batch, _, _ in seen_steps])
    read = torch.cat([batch.context for batch, _, _ in seen_steps])
    # "the" is half of the text and kept with √(.01 / .5) + .01 / .5 = 0.161; the others, a twentieth each,
    # with 0.647: a fifth of what is left is "the".
    for part in (target, read):
        assert (part == 0).double().mean() < 0.3
    seen_steps.clear()
    train_word_vectors(sentences, size=2, epochs=1, threshold=1.0, seed=2)
    target = torch.cat([batch.target for batch, _, _ in seen_steps])
    assert (target == 0).double().mean() == pytest.approx(0.5, abs=0.02)


def test_the_rate_falls_in_a_straight_line_over_all_epochs_to_a_hundredth(seen_steps, monkeypatch):
    drawn, draw = [], training.draw_examples
    monkeypatch.setattr(training, "draw_examples", lambda *given: drawn.append(draw(*given)) or drawn[-1])
    sentences = [list("abcdefgh")] * 400
    train_word_vectors(sentences, size=2, epochs=3, rate=0.5, threshold=1.0, seed=3)
    steps, expected = iter(seen_steps), []
    for epoch, examples in enumerate(drawn):
        done = 0
        while done < len(examples.target):
            expected.append(0.5 * (1 - (epoch + done / len(examples.target)) / 3))
            done += len(next(steps)[0].target)
    assert len(drawn) == 3 and next(steps, None) is None
    assert [rate for _, _, rate in seen_steps] == pytest.approx([max(0.005, rate) for rate in expected])
