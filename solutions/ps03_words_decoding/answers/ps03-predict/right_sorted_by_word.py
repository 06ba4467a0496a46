"""Written word by word."""


def predict():
    return {**dict.fromkeys("bc", "sometimes"), **dict.fromkeys("ed", "never"), "a": "always"}
