"""Someone thinks that a temperature can change the order of tokens.

Message: All logits are divided by the same number, so their order stays
"""


def predict():
    return {"a": "sometimes", "b": "sometimes", "c": "sometimes", "d": "never", "e": "never"}
