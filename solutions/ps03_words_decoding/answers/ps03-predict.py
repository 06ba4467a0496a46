# %% right: sorted by word
# Written word by word.


def predict():
    return {**dict.fromkeys("bc", "sometimes"), **dict.fromkeys("ed", "never"), "a": "always"}


# %% right: zip
# Written with two lists.


def predict():
    return dict(zip("abcde", ["always", "sometimes", "sometimes", "never", "never"], strict=True))


# %% wrong: all sometimes
# Whoever says sometimes to everything gets two points.
# Message: The first half has the lower ranks, so it comes first in both. The second half then joins some


def predict():
    return dict.fromkeys("abcde", "sometimes")


# %% wrong: fewer merges fewer pieces
# Someone thinks that fewer merges make fewer pieces.
# Message: The first half has the lower ranks, so it comes first in both. The second half then joins some


def predict():
    return {"a": "always", "b": "sometimes", "c": "sometimes", "d": "never", "e": "always"}


# %% wrong: letter missing
# A statement is left out.
# Message: there is no answer to (e)


def predict():
    return {"a": "always", "b": "sometimes", "c": "sometimes", "d": "never"}


# %% wrong: order turns
# Someone thinks that a temperature can change the order of tokens.
# Message: All logits are divided by the same number, so their order stays


def predict():
    return {"a": "sometimes", "b": "sometimes", "c": "sometimes", "d": "never", "e": "never"}


# %% wrong: other word
# A word is used that is not among the three.
# Message: one of always, sometimes, never


def predict():
    return {"a": "yes", "b": "sometimes", "c": "sometimes", "d": "never", "e": "never"}


# %% wrong: penalty either way
# Someone thinks that a length penalty can go either way.
# Message: A hypothesis that is shorter and less probable is divided by a smaller penalty: it loses by


def predict():
    return {"a": "always", "b": "sometimes", "c": "sometimes", "d": "sometimes", "e": "never"}


# %% wrong: penalty shortens
# Someone thinks that a length penalty shortens.
# Message: A hypothesis that is shorter and less probable is divided by a smaller penalty: it loses by


def predict():
    return {"a": "always", "b": "sometimes", "c": "sometimes", "d": "always", "e": "never"}


# %% wrong: sentences keep order
# Someone thinks that what holds for tokens holds for sentences.
# Message: Each step is made to sum to 1 anew: a nearly certain step hardly changes, a step with close


def predict():
    return {"a": "always", "b": "always", "c": "sometimes", "d": "never", "e": "never"}


# %% wrong: truth values
# The answers are truth values.
# Message: one of always, sometimes, never


def predict():
    return {"a": True, "b": False, "c": False, "d": False, "e": False}


# %% wrong: wider is better
# Someone thinks that a wider beam never finds less.
# Message: A wider beam is no longer the same search: the third hypothesis has continuations that can


def predict():
    return {"a": "always", "b": "sometimes", "c": "always", "d": "never", "e": "never"}
