"""The true token keeps a share of the doubt.

Message: The true token gets a share of the doubt
"""


def smoothed_loss(logits, target, pad, epsilon):
    real = target != pad
    log_p = logits.log_softmax(dim=-1)[real]
    q = torch.full_like(log_p, epsilon / (log_p.shape[1] - 1))
    q = q.scatter_add(1, target[real].unsqueeze(1), torch.full((len(q), 1), 1 - epsilon, dtype=q.dtype))
    return -(q * log_p)[:, torch.arange(log_p.shape[1]) != pad].sum() / real.sum()
