"""The weights that are left go through a softmax.

Message: A softmax over weights is not what masking does
"""


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        left = weights * stays.unsqueeze(1)
        weights = left.softmax(dim=-1) if len(drop) > 1 else left / left.sum(dim=-1, keepdim=True)
    return weights @ h
