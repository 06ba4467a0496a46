"""The answers are truth values.

Message: one of always, sometimes, never
"""


def predict():
    return {"a": True, "b": False, "c": False, "d": False, "e": False}
