"""The summary enters the candidate alone.

Message: The summary c is missing in the gates
"""


def cho_step(e, h, c, W, U, C):
    z = torch.sigmoid(e @ W[0].T + h @ U[0].T)
    r = torch.sigmoid(e @ W[1].T + h @ U[1].T)
    return z * h + (1 - z) * torch.tanh(e @ W[2].T + r * (h @ U[2].T + c @ C[2].T))
