"""The doubt is divided by the size of the vocabulary.

Message: You divided ε by V
"""


def smoothed_loss(logits, target, pad, epsilon):
    real = target != pad
    log_p, truth = logits.log_softmax(dim=-1)[real], target[real].unsqueeze(1)
    q = torch.full_like(log_p, epsilon / log_p.shape[1]).scatter(1, truth, 1 - epsilon)
    return -(q * log_p)[:, torch.arange(log_p.shape[1]) != pad].sum() / real.sum()
