"""Each sentence is averaged first, so that a word of a short sentence weighs more.

Message: You averaged each sentence first
"""


def smoothed_loss(logits, target, pad, epsilon):
    means = []
    for scores, tokens in zip(logits, target, strict=True):
        real = tokens != pad
        log_p, truth = scores.log_softmax(dim=-1)[real], tokens[real].unsqueeze(1)
        q = torch.full_like(log_p, epsilon / (log_p.shape[1] - 2)).scatter(1, truth, 1 - epsilon)
        means.append(-(q * log_p)[:, torch.arange(log_p.shape[1]) != pad].sum() / real.sum())
    return torch.stack(means).mean()
