from collections import Counter

import numpy as np
import pytest

from course_lib.data.packaged import DATA_FOLDER
from course_lib.data.wiki_geo import load_analogies, load_glove, load_wiki_geo


def test_the_corpus_has_the_stated_size_and_no_rare_word():
    sentences = load_wiki_geo().sentences
    counts = Counter(word for sentence in sentences for word in sentence)
    assert (len(sentences), counts.total(), len(counts)) == (46_527, 961_837, 13_306)
    assert all(word.isascii() and word.isalpha() and word.islower() for word in counts)


def test_the_questions_have_the_sections_of_the_paper():
    sections = load_analogies()
    counted = {name: len(questions) for name, questions in sections.items()}
    assert sum(counted.values()) == 19_544 and len(sections) == 14
    assert counted["capital-common-countries"] == 506 and counted["family"] == 506  # 23 pairs: 23 × 22
    assert sections["capital-common-countries"][0] == ("athens", "greece", "baghdad", "iraq")


def test_the_questions_of_a_section_pair_each_two_of_its_pairs():
    family = load_analogies()["family"]
    pairs = {question[:2] for question in family}
    assert {(*first, *second) for first in pairs for second in pairs if first != second} == set(family)


def test_the_vectors_are_glove_as_published():
    glove = load_glove()
    assert glove.vectors.shape == (10_278, 50) and len(set(glove.words)) == 10_278
    published = [0.418, 0.24968, -0.41242, 0.1217, 0.34527]  # the first numbers of "the" in glove.6B.50d.txt
    step = np.abs(glove.vectors[0]).max() / 127
    assert np.abs(glove.vectors[0, :5] - published).max() <= step / 2 + 1e-3
    assert glove.words[0] == "the"


def test_nobody_changes_the_vectors_that_all_share():
    with pytest.raises(ValueError, match="read-only"):
        load_glove().vectors[0, 0] = 1


def test_attribution_and_licence_are_those_of_the_data_folders():
    for folder, data in (("wiki_geo", load_wiki_geo()), ("glove50_subset", load_glove())):
        readme = (DATA_FOLDER / folder / "README.md").read_text(encoding="utf8")
        assert data.attribution in readme and data.licence in readme
