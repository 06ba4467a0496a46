"""The slope is that of the earlier state.

Message: The gradient passes the tanh of the later step
"""


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, [d_last.norm(dim=-1)]
    for h in states[:, :-1].flip(1).unbind(1):
        d_h = (d_h * (1 - h**2)) @ W_hh
        norms.insert(0, d_h.norm(dim=-1))
    return torch.stack(norms, dim=1)
