"""The last column is taken, padding or not.

Message: You took the last column
"""


def many_to_one_loss(logits, targets, lengths):
    return torch.nn.functional.cross_entropy(logits[:, -1], targets)
