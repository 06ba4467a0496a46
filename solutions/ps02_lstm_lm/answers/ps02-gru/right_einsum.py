"""Written with an axis for the three blocks."""


def gru_step(x, h, W, U, b, d, reset_before):
    size = h.shape[1]
    W, U, b, d = (part.unflatten(0, (3, size)) for part in (W, U, b, d))
    ahead = torch.einsum("khi,bi->kbh", W, x) + b.unsqueeze(1)
    back = torch.einsum("khj,bj->kbh", U, h) + d.unsqueeze(1)
    r, z = (ahead[:2] + back[:2]).sigmoid()
    before = torch.einsum("hj,bj->bh", U[2], r * h) + d[2]
    n = (ahead[2] + (before if reset_before else r * back[2])).tanh()
    return n + z * (h - n)
