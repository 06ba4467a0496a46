"""The mean log-probability is returned, without the minus.

Message: a loss is −log p
"""


def many_to_one_loss(logits, targets, lengths):
    last = logits[torch.arange(len(lengths)), lengths - 1]
    return last.log_softmax(dim=-1).gather(1, targets.unsqueeze(1)).mean()
