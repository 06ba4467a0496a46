"""Sentences that ask a head of attention what *it* stands for."""

import numpy as np
from jaxtyping import Float

from course_lib.applications.translator import Translator

HELD_OUT = (  # of the test sentences, the only ones with a noun and its pronoun: sentence, noun, pronoun
    ("Eat your soup while it is hot.", "soup", "it"),
    ("Don't count your chickens before they hatch.", "chickens", "they"),
)
PROBES = (  # sentence, the noun that "it" stands for, the other noun
    ("The boy opened the book and read it.", "book", "boy"),
    ("The girl took the apple and ate it.", "apple", "girl"),
    ("My car stopped at the house because it was old.", "car", "house"),
    ("The dog did not cross the street because it was tired.", "dog", "street"),
    ("The woman bought the house because it was big.", "house", "woman"),
    ("The cat left the room because it was hungry.", "cat", "room"),
    ("My brother found the money and took it.", "money", "brother"),
    ("The train left the city before it stopped.", "train", "city"),
    ("The man drank the water because it was cold.", "water", "man"),
    ("The teacher wrote the letter and read it.", "letter", "teacher"),
    ("The cat did not eat the fish because it was tired.", "cat", "fish"),
    ("The dog sat on the chair because it was tired.", "dog", "chair"),
    ("My sister lost the key and found it.", "key", "sister"),
    ("My mother washed the shirt because it was dirty.", "shirt", "mother"),
    ("The bird left the tree because it was hungry.", "bird", "tree"),
    ("The student bought the car because it was new.", "car", "student"),
)


def pronoun_weight(
    translator: Translator, text: str, pronoun: str, noun: str
) -> Float[np.ndarray, "layers heads"]:
    """Return the weight that a pronoun gives to the pieces of a noun, in each head of the encoder.

    Args:
        translator: a Transformer.
        text: a sentence.
        pronoun, noun: words of it, without marks of punctuation; the first piece of the pronoun asks.

    Raises:
        ValueError: the text has no such word.
    """
    trace = translator.attention_trace(text, target="", kind="encoder")  # reads alike, whatever is written
    words, owner = [], []
    for piece in trace.keys:
        if piece.startswith("▁") or piece == "</s>":
            words.append("")
        words[-1] += piece
        owner.append(len(words) - 1)
    place = {word.strip("▁.,"): i for i, word in enumerate(words)}
    for word in (pronoun, noun):
        if word not in place:
            raise ValueError(f"{text!r} has no word {word!r}; it has {', '.join(place)}")
    columns = [i for i, word in enumerate(owner) if word == place[noun]]
    return trace.weights[:, :, owner.index(place[pronoun]), columns].sum(axis=-1)
