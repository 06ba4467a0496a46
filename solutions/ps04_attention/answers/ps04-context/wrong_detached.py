"""The weights are cut from the graph.

Message: no gradient reaches weights
"""


def contexts(weights, h, drop=None):
    weights = weights.detach()
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return weights @ h
