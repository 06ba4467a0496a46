"""The tanh is forgotten.

Message: The slope of the tanh is missing
"""


def flow_norms(states, d_last, W_hh):
    d_h, norms = d_last, []
    for _ in range(states.shape[1]):
        norms.insert(0, d_h.norm(dim=-1))
        d_h = d_h @ W_hh
    return torch.stack(norms, dim=1)
