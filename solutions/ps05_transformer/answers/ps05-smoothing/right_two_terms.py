"""Written as two terms: the true token, and all others together."""


def smoothed_loss(logits, target, pad, epsilon):
    log_p = logits - logits.logsumexp(dim=-1, keepdim=True)
    truth = log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    kept = torch.arange(logits.shape[-1]) != pad
    others = log_p[..., kept].sum(dim=-1) - truth
    each = -(1 - epsilon) * truth - epsilon / (logits.shape[-1] - 2) * others
    return each[target != pad].mean()
