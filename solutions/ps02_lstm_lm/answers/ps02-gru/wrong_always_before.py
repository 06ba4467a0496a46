"""The flag has no influence: it is always the paper's form.

Message: look again at what reset_before says
"""


def gru_step(x, h, W, U, b, d, reset_before):
    W_r, W_z, W_n = (x @ W.T + b).chunk(3, dim=1)
    U_r, U_z, _ = (h @ U.T + d).chunk(3, dim=1)
    r, z = (W_r + U_r).sigmoid(), (W_z + U_z).sigmoid()
    n = (W_n + (r * h) @ U.chunk(3)[2].T + d.chunk(3)[2]).tanh()
    return z * h + (1 - z) * n
