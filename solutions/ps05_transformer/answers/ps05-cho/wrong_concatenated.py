"""The summary is joined to the word, so the reset gate does not scale it.

Message: The reset gate scales C c too
"""


def cho_step(e, h, c, W, U, C):
    inputs, weights = torch.cat([e, c], dim=1), torch.cat([W, C], dim=2)
    z = torch.sigmoid(inputs @ weights[0].T + h @ U[0].T)
    r = torch.sigmoid(inputs @ weights[1].T + h @ U[1].T)
    candidate = torch.tanh(inputs @ weights[2].T + r * (h @ U[2].T))
    return z * h + (1 - z) * candidate
