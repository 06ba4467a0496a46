"""The weights act on the wrong side where the sizes allow it.

Message: The weights act on the wrong side
"""


def cho_step(e, h, c, W, U, C):
    def product(x, weight):
        return x @ weight if weight.shape[0] == weight.shape[1] else x @ weight.T

    z = torch.sigmoid(product(e, W[0]) + product(h, U[0]) + product(c, C[0]))
    r = torch.sigmoid(product(e, W[1]) + product(h, U[1]) + product(c, C[1]))
    return z * h + (1 - z) * torch.tanh(product(e, W[2]) + r * (product(h, U[2]) + product(c, C[2])))
