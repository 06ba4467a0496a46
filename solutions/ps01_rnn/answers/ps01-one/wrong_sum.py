"""The losses are summed.

Message: yours is the sum
"""


def many_to_one_loss(logits, targets, lengths):
    last = logits[torch.arange(len(lengths)), lengths - 1]
    return torch.nn.functional.cross_entropy(last, targets, reduction="sum")
