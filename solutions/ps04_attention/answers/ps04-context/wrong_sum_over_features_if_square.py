"""Weights meet features instead of positions, which runs whenever the two have one size.

Message: You summed over the features of h
"""


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return weights @ (h.transpose(1, 2) if h.shape[1] == h.shape[2] else h)
