"""Written with loops: one real position at a time, one token at a time."""


def smoothed_loss(logits, target, pad, epsilon):
    vocabulary, losses = logits.shape[-1], []
    for scores, tokens in zip(logits, target, strict=True):
        for logit, token in zip(scores, tokens.tolist(), strict=True):
            if token == pad:
                continue
            log_p = torch.log_softmax(logit, dim=0)
            for v in range(vocabulary):
                if v != pad:
                    share = 1 - epsilon if v == token else epsilon / (vocabulary - 2)
                    losses.append(-share * log_p[v])
    return torch.stack(losses).sum() / int((target != pad).sum())
