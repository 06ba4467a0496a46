"""The norms come out from the last step to the first.

Message: The steps are in the order of the way back
"""


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, []
    for h in states.flip(1).unbind(1):
        norms.append(d_h.norm(dim=-1))
        d_h = (d_h * (1 - h**2)) @ W_hh
    return torch.stack(norms, dim=1)
