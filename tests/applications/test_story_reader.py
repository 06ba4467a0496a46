import pytest

from course_lib.applications.story_reader import (
    babi_pairs,
    babi_stories,
    babi_summaries,
    babi_vocabulary,
    still_holds,
)
from course_lib.data.babi import StoryQuestion
from course_lib.memory.end_to_end import MemoryNetwork

QUESTIONS = [
    StoryQuestion(("Mary went out.", "Bob sat.", "Bob left."), "Who sat?", "Bob", (1,)),
    StoryQuestion(("Bob sat.",), "Who went out?", "Mary", (0,)),
]
VOCABULARY = babi_vocabulary(QUESTIONS)


def said(ids):
    return " ".join(VOCABULARY[i] for i in ids.tolist())


def test_stories_keep_their_sentences_apart_the_newest_first():
    stories = babi_stories(QUESTIONS, VOCABULARY)
    assert [said(row) for row in stories.sentences[0]] == [
        "bob left . <pad>",
        "bob sat . <pad>",
        "mary went out .",
    ]
    assert [said(row) for row in stories.sentences[1]] == ["bob sat . <pad>"] + [
        "<pad> <pad> <pad> <pad>"
    ] * 2
    assert [said(row) for row in stories.questions] == ["who sat ? <pad>", "who went out ?"]
    assert said(stories.answers) == "bob mary"


def test_a_small_memory_forgets_the_oldest_sentences():
    stories = babi_stories(QUESTIONS, VOCABULARY, memory=2)
    assert [said(row) for row in stories.sentences[0]] == ["bob left .", "bob sat ."]


def test_what_still_holds_is_the_last_sentence_about_each_person():
    story = ("Mary went to the hall.", "Bob sat.", "Mary went back to the hall.", "Sue left.", "Bob left.")
    assert still_holds(story) == ("Mary went back to the hall.", "Sue left.", "Bob left.")
    pairs = babi_summaries(QUESTIONS, VOCABULARY)
    assert [[" ".join(VOCABULARY[i] for i in ids) for ids in pair] for pair in pairs] == [
        ["mary went out . bob sat . bob left .", "<s> mary went out . bob left . </s>"],
        ["bob sat .", "<s> bob sat . </s>"],
    ]


def test_the_memory_network_reads_stories():
    logits, weights = MemoryNetwork(len(VOCABULARY), 5)(*babi_stories(QUESTIONS, VOCABULARY)[:2])
    assert logits.shape == (2, len(VOCABULARY)) and weights.shape == (2, 3, 3)


def test_what_is_no_story_is_named():
    stranger = StoryQuestion(("Bob flew away.",), "Who sat?", "Bob", ())
    for read in (babi_stories, babi_pairs):
        with pytest.raises(ValueError, match=r"the words \['away', 'flew'\] are not in the vocabulary of"):
            read([stranger], VOCABULARY)
    with pytest.raises(ValueError, match="question 1 has a story of 0 sentences"):
        babi_stories([QUESTIONS[0], StoryQuestion((), "Who sat?", "Bob", ())], VOCABULARY)
    with pytest.raises(ValueError, match="memory is 0; allowed is 1 or more"):
        babi_stories(QUESTIONS, VOCABULARY, memory=0)
    with pytest.raises(ValueError, match="there are 0 questions"):
        babi_stories([], VOCABULARY)
