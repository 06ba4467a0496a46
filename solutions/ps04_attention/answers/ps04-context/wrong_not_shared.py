"""The weight of the dropped word is lost.

Message: divide them by their sum
"""


def contexts(weights, h, drop=None):
    if drop is not None:
        stays = torch.arange(weights.shape[-1]) != drop.unsqueeze(1)
        weights = weights * stays.unsqueeze(1)
    return weights @ h
