"""Only the last real step counts.

Message: here every real step does
"""


def many_to_many_loss(logits, targets, lengths):
    rows = torch.arange(len(lengths))
    return torch.nn.functional.cross_entropy(logits[rows, lengths - 1], targets[rows, lengths - 1])
