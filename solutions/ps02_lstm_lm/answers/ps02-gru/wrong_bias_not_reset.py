"""In torch's form the second bias is added outside the reset.

Message: In torch's form r scales d_n too
"""


def gru_step(x, h, W, U, b, d, reset_before):
    W_r, W_z, W_n = (x @ W.T + b + d).chunk(3, dim=1)
    U_r, U_z, U_n = (h @ U.T).chunk(3, dim=1)
    r, z = (W_r + U_r).sigmoid(), (W_z + U_z).sigmoid()
    past = (r * h) @ U.chunk(3)[2].T if reset_before else r * U_n
    n = (W_n + past).tanh()
    return z * h + (1 - z) * n
