"""The labelled occurrences follow the rule that is written beside them."""

import random
from collections import Counter
from itertools import pairwise

import pytest

from course_lib.data.wiki_geo import load_wiki_geo
from course_lib.data.word_senses import NUMBERS, load_word_senses


@pytest.mark.parametrize("word", NUMBERS)
def test_occurrences_follow_the_rule(word):
    sentences = load_wiki_geo().sentences
    fitting = [i for i, words in enumerate(sentences) if words.count(word) == 1 and len(words) >= 8]
    random.Random(0).shuffle(fitting)
    group = load_word_senses()[word]
    assert set(Counter(occurrence.sense for occurrence in group).values()) == {12}
    for sense in NUMBERS[word]:
        places = [fitting.index(o.number) for o in group if o.sense == sense]
        assert places == sorted(places)  # in the order drawn
    numbers = sorted(occurrence.number for occurrence in group)
    assert min(b - a for a, b in pairwise(numbers)) >= 50
    for occurrence in group:
        assert occurrence.sentence == sentences[occurrence.number]
        assert occurrence.sentence[occurrence.place] == word
