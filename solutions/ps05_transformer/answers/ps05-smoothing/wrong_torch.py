"""torch's own label smoothing, which shares the doubt with all tokens.

Message: That is torch's label_smoothing
"""


def smoothed_loss(logits, target, pad, epsilon):
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=pad, label_smoothing=epsilon
    )
