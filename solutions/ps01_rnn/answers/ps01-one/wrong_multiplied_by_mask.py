"""All other steps are multiplied by 0.

Message: NaN times 0 is NaN
"""


def many_to_one_loss(logits, targets, lengths):
    last = torch.arange(logits.shape[1]) == lengths.unsqueeze(1) - 1
    return torch.nn.functional.cross_entropy((logits * last.unsqueeze(2)).sum(dim=1), targets)
