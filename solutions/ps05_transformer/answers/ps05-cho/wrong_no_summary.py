"""The summary is forgotten, as if it had been used up in the first state.

Message: The summary c has no influence; it enters both gates and the candidate
"""


def cho_step(e, h, c, W, U, C):
    z = torch.sigmoid(e @ W[0].T + h @ U[0].T)
    r = torch.sigmoid(e @ W[1].T + h @ U[1].T)
    return z * h + (1 - z) * torch.tanh(e @ W[2].T + r * (h @ U[2].T))
