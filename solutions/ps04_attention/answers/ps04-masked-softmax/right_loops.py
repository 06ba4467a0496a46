"""Written with loops: one row at a time, over its kept scores only."""


def masked_softmax(scores, keep):
    alpha = torch.zeros_like(scores)
    for b in range(scores.shape[0]):
        kept = keep[b].nonzero().flatten()
        for i in range(scores.shape[1]):
            if len(kept):
                alpha[b, i, kept] = torch.softmax(scores[b, i, kept], dim=0)
    return alpha
