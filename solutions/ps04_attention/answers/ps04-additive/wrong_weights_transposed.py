"""The matrices are used untransposed, which runs whenever they are square.

Message: W and U act on the wrong side
"""


def additive_scores(states, h, W, U, v):
    W, U = (W if W.shape[0] == W.shape[1] else W.T), (U if U.shape[0] == U.shape[1] else U.T)
    return torch.tanh((states[:, :-1] @ W).unsqueeze(2) + (h @ U).unsqueeze(1)) @ v
