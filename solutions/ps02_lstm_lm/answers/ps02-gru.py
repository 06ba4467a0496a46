# %% right: einsum
# Written with an axis for the three blocks.


def gru_step(x, h, W, U, b, d, reset_before):
    size = h.shape[1]
    W, U, b, d = (part.unflatten(0, (3, size)) for part in (W, U, b, d))
    ahead = torch.einsum("khi,bi->kbh", W, x) + b.unsqueeze(1)
    back = torch.einsum("khj,bj->kbh", U, h) + d.unsqueeze(1)
    r, z = (ahead[:2] + back[:2]).sigmoid()
    before = torch.einsum("hj,bj->bh", U[2], r * h) + d[2]
    n = (ahead[2] + (before if reset_before else r * back[2])).tanh()
    return n + z * (h - n)


# %% right: loops
# Written one sequence and one unit at a time.


def gru_step(x, h, W, U, b, d, reset_before):
    size = h.shape[1]
    rows = []
    for now, old in zip(x, h, strict=True):
        r = torch.stack([torch.sigmoid(W[k] @ now + b[k] + U[k] @ old + d[k]) for k in range(size)])
        row = []
        for k in range(size):
            z = torch.sigmoid(W[size + k] @ now + b[size + k] + U[size + k] @ old + d[size + k])
            last = 2 * size + k
            past = U[last] @ (r * old) + d[last] if reset_before else r[k] * (U[last] @ old + d[last])
            row.append(z * old[k] + (1 - z) * torch.tanh(W[last] @ now + b[last] + past))
        rows.append(torch.stack(row))
    return torch.stack(rows)


# %% wrong: always after
# The flag has no influence: it is always torch's form.
# Message: look again at what reset_before says


def gru_step(x, h, W, U, b, d, reset_before):
    W_r, W_z, W_n = (x @ W.T + b).chunk(3, dim=1)
    U_r, U_z, U_n = (h @ U.T + d).chunk(3, dim=1)
    r, z = (W_r + U_r).sigmoid(), (W_z + U_z).sigmoid()
    n = (W_n + r * U_n).tanh()
    return z * h + (1 - z) * n


# %% wrong: always before
# The flag has no influence: it is always the paper's form.
# Message: look again at what reset_before says


def gru_step(x, h, W, U, b, d, reset_before):
    W_r, W_z, W_n = (x @ W.T + b).chunk(3, dim=1)
    U_r, U_z, _ = (h @ U.T + d).chunk(3, dim=1)
    r, z = (W_r + U_r).sigmoid(), (W_z + U_z).sigmoid()
    n = (W_n + (r * h) @ U.chunk(3)[2].T + d.chunk(3)[2]).tanh()
    return z * h + (1 - z) * n


# %% wrong: bias not reset
# In torch's form the second bias is added outside the reset.
# Message: In torch's form r scales d_n too


def gru_step(x, h, W, U, b, d, reset_before):
    W_r, W_z, W_n = (x @ W.T + b + d).chunk(3, dim=1)
    U_r, U_z, U_n = (h @ U.T).chunk(3, dim=1)
    r, z = (W_r + U_r).sigmoid(), (W_z + U_z).sigmoid()
    past = (r * h) @ U.chunk(3)[2].T if reset_before else r * U_n
    n = (W_n + past).tanh()
    return z * h + (1 - z) * n


# %% wrong: gates mixed up
# The first block is taken for the update gate's, as on the slides.
# Message: the first block is the reset gate's


def gru_step(x, h, W, U, b, d, reset_before):
    W_z, W_r, W_n = (x @ W.T + b).chunk(3, dim=1)
    U_z, U_r, U_n = (h @ U.T + d).chunk(3, dim=1)
    r, z = (W_r + U_r).sigmoid(), (W_z + U_z).sigmoid()
    past = (r * h) @ U.chunk(3)[2].T + d.chunk(3)[2] if reset_before else r * U_n
    n = (W_n + past).tanh()
    return z * h + (1 - z) * n


# %% wrong: library
# The library's layer is called.
# Message: your answer calls course_lib.recurrent


from course_lib.recurrent.gru import GRU, PaperGRU


def gru_step(x, h, W, U, b, d, reset_before):
    layer = (PaperGRU if reset_before else GRU)(x.shape[1], h.shape[1])
    return layer.step(x @ W.T + b + d, (h,))[0]


# %% wrong: no second bias
# The second bias is forgotten.
# Message: The second bias d is missing


def gru_step(x, h, W, U, b, d, reset_before):
    W_r, W_z, W_n = (x @ W.T + b).chunk(3, dim=1)
    U_r, U_z, U_n = (h @ U.T).chunk(3, dim=1)
    r, z = (W_r + U_r).sigmoid(), (W_z + U_z).sigmoid()
    past = (r * h) @ U.chunk(3)[2].T if reset_before else r * U_n
    n = (W_n + past).tanh()
    return z * h + (1 - z) * n


# %% wrong: not reset
# The reset gate is computed and never used.
# Message: The reset gate has no influence on the candidate


def gru_step(x, h, W, U, b, d, reset_before):
    _, W_z, W_n = (x @ W.T + b).chunk(3, dim=1)
    _, U_z, U_n = (h @ U.T + d).chunk(3, dim=1)
    z = (W_z + U_z).sigmoid()
    n = (W_n + U_n).tanh()
    return z * h + (1 - z) * n


# %% wrong: torch
# torch's own cell is called.
# Message: your answer calls torch's gru_cell


def gru_step(x, h, W, U, b, d, reset_before):
    return torch.gru_cell(x, h, W, U, b, d)


# %% wrong: update turned round
# The update gate takes the candidate where it should keep the state.
# Message: here z = 1 keeps the old state


def gru_step(x, h, W, U, b, d, reset_before):
    W_r, W_z, W_n = (x @ W.T + b).chunk(3, dim=1)
    U_r, U_z, U_n = (h @ U.T + d).chunk(3, dim=1)
    r, z = (W_r + U_r).sigmoid(), (W_z + U_z).sigmoid()
    past = (r * h) @ U.chunk(3)[2].T + d.chunk(3)[2] if reset_before else r * U_n
    n = (W_n + past).tanh()
    return (1 - z) * h + z * n
