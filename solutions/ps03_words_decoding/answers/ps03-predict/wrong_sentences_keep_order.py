"""Someone thinks that what holds for tokens holds for sentences.

Message: Each step is made to sum to 1 anew: a nearly certain step hardly changes, a step with close
"""


def predict():
    return {"a": "always", "b": "always", "c": "sometimes", "d": "never", "e": "never"}
