"""The story reader: it reads a story of bAbI and a question, and answers."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

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


def babi_pairs(
    questions: Sequence[StoryQuestion], vocabulary: Sequence[str]
) -> list[tuple[list[int], list[int]]]:
    """Return (story and question, <s> answer </s>) as ids."""
    ids = {word: i for i, word in enumerate(vocabulary)}
    return [([ids[w] for w in reading(q)[0]], [BEGIN, ids[q.answer], END]) for q in questions]


def answer(model: EncoderDecoder, questions: Sequence[StoryQuestion], names: Sequence[str]) -> list[Written]:
    """Let a reader answer questions, those given first."""
    ids = [source for source, _ in babi_pairs(questions, names)]
    found: list[Written] = []
    for start in range(0, len(ids), 100):
        found += write(model, pad(ids[start : start + 100], PAD), names, limit=2)
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
