"""The matrix acts on the way back as on the way there.

Message: On the way back the transpose of W_hh acts
"""


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, []
    for h in states.flip(1).unbind(1):
        norms.insert(0, d_h.norm(dim=-1))
        d_h = (d_h * (1 - h**2)) @ W_hh.T
    return torch.stack(norms, dim=1)
