"""The reset gate is computed and never used.

Message: The reset gate has no influence on the candidate
"""


def gru_step(x, h, W, U, b, d, reset_before):
    _, W_z, W_n = (x @ W.T + b).chunk(3, dim=1)
    _, U_z, U_n = (h @ U.T + d).chunk(3, dim=1)
    z = (W_z + U_z).sigmoid()
    n = (W_n + U_n).tanh()
    return z * h + (1 - z) * n
