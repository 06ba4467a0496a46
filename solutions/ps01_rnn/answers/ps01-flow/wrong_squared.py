"""The root is forgotten.

Message: Those are squared norms
"""


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, []
    for h in states.flip(1).unbind(1):
        norms.insert(0, d_h.square().sum(dim=-1))
        d_h = (d_h * (1 - h**2)) @ W_hh
    return torch.stack(norms, dim=1)
