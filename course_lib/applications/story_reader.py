"""The story reader: it reads a story of bAbI and a question, and answers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.applications.writing import Written, write
from course_lib.data.babi import StoryQuestion
from course_lib.data.batches import pad
from course_lib.data.special import BEGIN, END, PAD, SPECIAL
from course_lib.seq2seq.model import EncoderDecoder


def words_of(text: str) -> list[str]:
    """Return lower-case words; a full stop or question mark is a word of its own."""
    return text.lower().replace(".", " .").replace("?", " ?").split()


def reading(question: StoryQuestion) -> tuple[list[str], list[int]]:
    """Return story and question as words, and the sentence that each word stands in.

    The question, which comes last, is sentence number `len(question.story)`.
    """
    sentences = [words_of(text) for text in (*question.story, question.question)]
    return [w for s in sentences for w in s], [i for i, s in enumerate(sentences) for _ in s]


def babi_vocabulary(questions: Sequence[StoryQuestion]) -> list[str]:
    """Return the special tokens and every word of the questions, sorted."""
    known = {word for q in questions for word in (*reading(q)[0], q.answer)}
    return [*SPECIAL, *sorted(known)]


def word_ids(words: Sequence[str], ids: dict[str, int]) -> list[int]:
    """Return the id of each word.

    Raises:
        ValueError: a word has none; the message names all of them.
    """
    strangers = sorted(set(words) - set(ids))
    if strangers:
        raise ValueError(f"the words {strangers} are not in the vocabulary of {len(ids)} words")
    return [ids[word] for word in words]


def babi_pairs(
    questions: Sequence[StoryQuestion], vocabulary: Sequence[str]
) -> list[tuple[list[int], list[int]]]:
    """Return (story and question, <s> answer </s>) as ids.

    Raises:
        ValueError: a word is not in the vocabulary.
    """
    ids = {word: i for i, word in enumerate(vocabulary)}
    return [(word_ids(reading(q)[0], ids), [BEGIN, *word_ids([q.answer], ids), END]) for q in questions]


def still_holds(story: Sequence[str]) -> tuple[str, ...]:
    """Return the sentences that no later one overtakes: the last one about each person, in their order.

    Args:
        story: sentences of task 1, each of which begins with a person and says where that person went.
    """
    last = {sentence.split()[0]: place for place, sentence in enumerate(story)}
    return tuple(story[place] for place in sorted(last.values()))


def story_words(story: Sequence[str]) -> list[str]:
    """Return the words of sentences, one after the other."""
    return [word for sentence in story for word in words_of(sentence)]


def babi_summaries(
    questions: Sequence[StoryQuestion], vocabulary: Sequence[str]
) -> list[tuple[list[int], list[int]]]:
    """Return (story, <s> what still holds of it </s>) as ids; what is asked about the story is left out.

    Raises:
        ValueError: a word is not in the vocabulary.
    """
    ids = {word: i for i, word in enumerate(vocabulary)}
    return [
        (word_ids(story_words(q.story), ids), [BEGIN, *word_ids(story_words(still_holds(q.story)), ids), END])
        for q in questions
    ]


class Stories(NamedTuple):
    """Questions for a network that keeps each sentence in a place of its own, as ids."""

    sentences: Int[Tensor, "batch slots words"]  # the newest first
    questions: Int[Tensor, "batch asked"]
    answers: Int[Tensor, "batch"]  # in lower case, the same words as in the stories


def babi_stories(questions: Sequence[StoryQuestion], vocabulary: Sequence[str], memory: int = 50) -> Stories:
    """Return stories sentence by sentence, the newest first, padded behind to the longest of all.

    Args:
        questions: 1 or more.
        vocabulary: of `babi_vocabulary`.
        memory: most sentences of a story, 1 or more; of longer ones the newest are kept, as in Sukhbaatar et
            al. 2015, section 4.2.

    Raises:
        ValueError: a word is not in the vocabulary, the memory is below 1, a story has no sentence, or there
            is no question.
    """
    if memory < 1:
        raise ValueError(f"memory is {memory}; allowed is 1 or more sentences")
    if not questions:
        raise ValueError("there are 0 questions; allowed is 1 or more")
    empty = [i for i, q in enumerate(questions) if not q.story]
    if empty:
        raise ValueError(f"question {empty[0]} has a story of 0 sentences; allowed is 1 or more")
    ids = {word: i for i, word in enumerate(vocabulary)}
    stories = [[word_ids(words_of(text), ids) for text in q.story[::-1][:memory]] for q in questions]
    slots = max(map(len, stories))
    filled = [sentence for story in stories for sentence in story + [[]] * (slots - len(story))]
    return Stories(
        pad(filled, PAD).view(len(stories), slots, -1),
        pad([word_ids(words_of(q.question), ids) for q in questions], PAD),
        torch.tensor(word_ids([q.answer.lower() for q in questions], ids)),
    )


def answer(model: EncoderDecoder, questions: Sequence[StoryQuestion], names: Sequence[str]) -> list[Written]:
    """Let a reader answer questions, those given first."""
    ids = [source for source, _ in babi_pairs(questions, names)]
    found: list[Written] = []
    for start in range(0, len(ids), 100):
        found += write(model, pad(ids[start : start + 100], PAD), names, limit=2)
    return found


def summarise(
    model: EncoderDecoder, questions: Sequence[StoryQuestion], names: Sequence[str]
) -> list[Written]:
    """Let a summariser say of each question's story what still holds, those given first."""
    ids = [source for source, _ in babi_summaries(questions, names)]
    found: list[Written] = []
    for start in range(0, len(ids), 100):
        found += write(model, pad(ids[start : start + 100], PAD), names, limit=40)
    return found


def sentence_weights(question: StoryQuestion, weights: Float[np.ndarray, "source"]) -> np.ndarray:
    """Return the attention on each sentence: the sum over its words, the question last."""
    _, places = reading(question)
    return np.bincount(places, weights=weights, minlength=len(question.story) + 1)


def found_support(question: StoryQuestion, written: Written) -> bool:
    """Return whether the story's most attended sentence, as the answer is written, is a supporting one."""
    if written.weights is None:
        raise ValueError("written has no weights; a model without attention looks nowhere")
    return int(sentence_weights(question, written.weights[0])[:-1].argmax()) in question.supporting
