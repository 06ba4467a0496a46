"""Someone thinks that a length penalty can go either way.

Message: A hypothesis that is shorter and less probable is divided by a smaller penalty: it loses by
"""


def predict():
    return {"a": "always", "b": "sometimes", "c": "sometimes", "d": "sometimes", "e": "never"}
