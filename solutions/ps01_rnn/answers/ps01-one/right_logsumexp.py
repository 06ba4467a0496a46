"""Written with logsumexp, and the last step picked by gather."""


def many_to_one_loss(logits, targets, lengths):
    place = (lengths - 1).reshape(-1, 1, 1).expand(-1, 1, logits.shape[2])
    last = logits.gather(1, place).squeeze(1)
    return torch.mean(last.logsumexp(dim=1) - last[range(len(targets)), targets])
