"""Padding gets a share of the doubt.

Message: Pad gets a share of the doubt
"""


def smoothed_loss(logits, target, pad, epsilon):
    real = target != pad
    log_p = logits.log_softmax(dim=-1)[real]
    q = torch.full_like(log_p, epsilon / (log_p.shape[1] - 1))
    q = q.scatter(1, target[real].unsqueeze(1), 1 - epsilon)
    return -(q * log_p).sum() / real.sum()
