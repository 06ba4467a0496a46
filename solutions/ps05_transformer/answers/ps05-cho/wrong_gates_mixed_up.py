"""The weights of the two gates are swapped, as in torch's order.

Message: The gates are mixed up
"""


def cho_step(e, h, c, W, U, C):
    r = torch.sigmoid(e @ W[0].T + h @ U[0].T + c @ C[0].T)
    z = torch.sigmoid(e @ W[1].T + h @ U[1].T + c @ C[1].T)
    return z * h + (1 - z) * torch.tanh(e @ W[2].T + r * (h @ U[2].T + c @ C[2].T))
