"""A word is used that is not among the three.

Message: one of always, sometimes, never
"""


def predict():
    return {"a": "yes", "b": "sometimes", "c": "sometimes", "d": "never", "e": "never"}
