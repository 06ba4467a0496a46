"""The tanh is left out.

Message: The tanh is missing
"""


def additive_scores(states, h, W, U, v):
    queries = states[:, :-1] @ W.T
    return (queries.unsqueeze(2) + (h @ U.T).unsqueeze(1)) @ v
