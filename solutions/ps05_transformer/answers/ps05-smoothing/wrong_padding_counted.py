"""The sum is divided by all positions, padding included.

Message: You divided by all positions; padding is none
"""


def smoothed_loss(logits, target, pad, epsilon):
    real = target != pad
    log_p, truth = logits.log_softmax(dim=-1)[real], target[real].unsqueeze(1)
    q = torch.full_like(log_p, epsilon / (log_p.shape[1] - 2)).scatter(1, truth, 1 - epsilon)
    return -(q * log_p)[:, torch.arange(log_p.shape[1]) != pad].sum() / target.numel()
