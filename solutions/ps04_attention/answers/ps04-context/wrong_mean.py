"""The weighted states are averaged, although the weights sum to 1.

Message: You took the mean over the positions
"""


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return (weights.unsqueeze(-1) * h.unsqueeze(1)).mean(dim=2)
