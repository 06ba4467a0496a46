"""The update gate takes the candidate where it should keep the state.

Message: here z = 1 keeps the old state
"""


def gru_step(x, h, W, U, b, d, reset_before):
    W_r, W_z, W_n = (x @ W.T + b).chunk(3, dim=1)
    U_r, U_z, U_n = (h @ U.T + d).chunk(3, dim=1)
    r, z = (W_r + U_r).sigmoid(), (W_z + U_z).sigmoid()
    past = (r * h) @ U.chunk(3)[2].T + d.chunk(3)[2] if reset_before else r * U_n
    n = (W_n + past).tanh()
    return (1 - z) * h + z * n
