"""Written with torch's ignore_index: the targets behind the end are marked."""


def many_to_many_loss(logits, targets, lengths):
    behind = torch.arange(targets.shape[1]) >= lengths.unsqueeze(1)
    return torch.nn.functional.cross_entropy(
        logits.masked_fill(behind.unsqueeze(2), 0).transpose(1, 2),
        targets.masked_fill(behind, -100),
        ignore_index=-100,
    )
