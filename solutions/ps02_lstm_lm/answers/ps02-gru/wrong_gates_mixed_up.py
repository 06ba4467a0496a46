"""The first block is taken for the update gate's, as on the slides.

Message: the first block is the reset gate's
"""


def gru_step(x, h, W, U, b, d, reset_before):
    W_z, W_r, W_n = (x @ W.T + b).chunk(3, dim=1)
    U_z, U_r, U_n = (h @ U.T + d).chunk(3, dim=1)
    r, z = (W_r + U_r).sigmoid(), (W_z + U_z).sigmoid()
    past = (r * h) @ U.chunk(3)[2].T + d.chunk(3)[2] if reset_before else r * U_n
    n = (W_n + past).tanh()
    return z * h + (1 - z) * n
