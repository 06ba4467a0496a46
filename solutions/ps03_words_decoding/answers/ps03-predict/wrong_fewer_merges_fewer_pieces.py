"""Someone thinks that fewer merges make fewer pieces.

Message: The first half has the lower ranks, so it comes first in both. The second half then joins some
"""


def predict():
    return {"a": "always", "b": "sometimes", "c": "sometimes", "d": "never", "e": "always"}
