"""A statement is left out.

Message: there is no answer to (e)
"""


def predict():
    return {"a": "always", "b": "sometimes", "c": "sometimes", "d": "never"}
