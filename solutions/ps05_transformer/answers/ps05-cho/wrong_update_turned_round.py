"""The update gate lets the new in where it should keep the old.

Message: z = 1 keeps the old state
"""


def cho_step(e, h, c, W, U, C):
    z = torch.sigmoid(e @ W[0].T + h @ U[0].T + c @ C[0].T)
    r = torch.sigmoid(e @ W[1].T + h @ U[1].T + c @ C[1].T)
    return (1 - z) * h + z * torch.tanh(e @ W[2].T + r * (h @ U[2].T + c @ C[2].T))
