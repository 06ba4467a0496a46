"""The doubt is forgotten.

Message: There is no doubt in it
"""


def smoothed_loss(logits, target, pad, epsilon):
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad)
