"""Written with a loop over the sequences and torch's cross-entropy."""


def many_to_one_loss(logits, targets, lengths):
    last = torch.stack([rows[n - 1] for rows, n in zip(logits, lengths.tolist(), strict=True)])
    return torch.nn.functional.cross_entropy(last, targets)
