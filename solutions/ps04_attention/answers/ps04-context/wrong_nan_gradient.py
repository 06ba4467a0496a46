"""The NaN of 0 / 0 is wiped off the weights, but stays in the gradient.

Message: the gradient of weights is NaN
"""


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
        weights = (weights / weights.sum(dim=-1, keepdim=True)).nan_to_num(0.0)
    return weights @ h
