"""Vectors for words, learned from the words around them."""

from course_lib.words.phrases import join_phrases, phrase_scores
from course_lib.words.similarity import Accuracy, analogy_accuracy, answer_analogies, nearest
from course_lib.words.storage import load_word_vectors
from course_lib.words.training import train_by_batch, train_word_vectors
from course_lib.words.windows import cbow_windows, skip_gram_pairs
from course_lib.words.word2vec import Word2Vec, one_hot_product

__all__ = [
    "Accuracy",
    "Word2Vec",
    "analogy_accuracy",
    "answer_analogies",
    "cbow_windows",
    "join_phrases",
    "load_word_vectors",
    "nearest",
    "one_hot_product",
    "phrase_scores",
    "skip_gram_pairs",
    "train_by_batch",
    "train_word_vectors",
]
