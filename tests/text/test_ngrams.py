import math
from collections import Counter

import numpy as np
import pytest

from course_lib.text.ngrams import CountingModel, ngram_nats


def test_by_hand():
    train, held_out = np.array([0, 1, 0, 1, 1]), np.array([0, 1])
    alone = [(2 + 1 / 2) / (5 + 1), (3 + 1 / 2) / (5 + 1)]  # strength 1
    assert ngram_nats(train, held_out, 2, 0, [1]) == pytest.approx(-sum(map(math.log, alone)) / 2)
    after_0 = (2 + alone[1]) / (2 + 1)  # 0 was followed by 1, two times
    losses = [-math.log(alone[1]), -math.log(after_0)]  # the first token is only read
    assert ngram_nats(train, held_out, 2, 1, [1])[0] == pytest.approx(losses)


@pytest.mark.parametrize("strength", [0.5, 2.5])
@pytest.mark.parametrize("memory", [0, 1, 2, 3])
def test_equals_a_count_in_dictionaries_and_is_a_distribution(memory, strength):
    random, size, longest = np.random.default_rng(0), 4, 3
    train, held_out = random.integers(size, size=60), random.integers(size, size=30)

    def probability(context, token, k):
        if k < 0:
            return 1 / size
        c = tuple(context[len(context) - k :])
        runs = [tuple(train[i : i + k + 1]) for i in range(len(train) - k)]
        followed = Counter(run[-1] for run in runs if run[:-1] == c)
        shorter = probability(context, token, k - 1)
        return (followed[token] + strength * shorter) / (followed.total() + strength)

    each = []
    for t in range(longest, len(held_out)):
        row = [probability(held_out[:t], token, memory) for token in range(size)]
        assert sum(row) == pytest.approx(1)
        each.append(-math.log(row[held_out[t]]))
    found = ngram_nats(train, held_out, size, longest, [strength, 7])[0, memory]
    assert found == pytest.approx(sum(each) / len(each))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"memory": -1}, "memory is -1; allowed is 0 to 9 for 65 tokens"),
        ({"memory": 10}, "memory is 10; allowed is 0 to 9"),
        ({"memory": 1, "strengths": [1, 0]}, r"strengths are \[1, 0\]; allowed are numbers above 0"),
        ({"memory": 5}, "texts have 5 and 5 tokens; allowed is 6 or more"),
    ],
)
def test_what_cannot_be_counted(arguments, message):
    with pytest.raises(ValueError, match=message):
        ngram_nats(np.arange(5), np.arange(5), 65, **{"strengths": [1], **arguments})


@pytest.mark.parametrize("memory", [0, 2, 3])
def test_word_by_word_it_says_what_it_says_of_a_whole_text(memory):
    random, size, strength = np.random.default_rng(1), 5, 1.5
    train, held_out = random.integers(size, size=80), random.integers(size, size=40)
    model = CountingModel(train, size, memory, strength)
    said = [model.log_probs(held_out[:t].tolist())[held_out[t]] for t in range(memory, len(held_out))]
    assert -np.mean(said) == pytest.approx(ngram_nats(train, held_out, size, memory, [strength])[0, -1])
    assert np.exp(model.log_probs(held_out[:3].tolist())).sum() == pytest.approx(1)


def test_with_less_before_than_the_memory_it_looks_at_what_there_is():
    tokens = np.array([0, 1, 2, 0, 1, 2, 0])
    assert CountingModel(tokens, 3, 2, 1).log_probs([0]) == pytest.approx(
        CountingModel(tokens, 3, 1, 1).log_probs([0])
    )
