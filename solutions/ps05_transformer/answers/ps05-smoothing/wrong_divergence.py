"""The divergence of q from p: the entropy of q is taken away.

Message: the loss here is the cross-entropy
"""


def smoothed_loss(logits, target, pad, epsilon):
    real, kept = target != pad, torch.arange(logits.shape[-1]) != pad
    log_p, truth = logits.log_softmax(dim=-1)[real], target[real].unsqueeze(1)
    q = torch.full_like(log_p, epsilon / (log_p.shape[1] - 2)).scatter(1, truth, 1 - epsilon)[:, kept]
    return torch.nn.functional.kl_div(log_p[:, kept], q, reduction="sum") / real.sum()
