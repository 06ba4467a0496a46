"""Someone thinks that a wider beam never finds less.

Message: A wider beam is no longer the same search: the third hypothesis has continuations that can
"""


def predict():
    return {"a": "always", "b": "sometimes", "c": "always", "d": "never", "e": "never"}
