"""Every real step answers.

Message: yours averages over all its steps
"""


def many_to_one_loss(logits, targets, lengths):
    log_p = logits.log_softmax(dim=-1)
    losses = [-log_p[i, :n, targets[i]].mean() for i, n in enumerate(lengths.tolist())]
    return torch.stack(losses).mean()
