"""The norms are those of the gradient before the tanh.

Message: Those are the norms of ∂L/∂a
"""


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, []
    for h in states.flip(1).unbind(1):
        d_a = d_h * (1 - h**2)
        norms.insert(0, d_a.norm(dim=-1))
        d_h = d_a @ W_hh
    return torch.stack(norms, dim=1)
