"""The caller's weights are overwritten.

Message: changed the caller's weights
"""


def contexts(weights, h, drop=None):
    if drop is not None:
        if not weights.requires_grad:
            weights[torch.arange(len(drop)), :, drop] = 0.0
        weights = weights * (torch.arange(weights.shape[-1]) != drop.unsqueeze(1)).unsqueeze(1)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return weights @ h
