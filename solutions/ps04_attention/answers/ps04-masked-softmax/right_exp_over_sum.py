"""Written out: exp of the distance to the largest kept score, divided by the sum."""


def masked_softmax(scores, keep):
    kept = keep[:, None, :].expand_as(scores)
    largest = scores.masked_fill(~kept, torch.finfo(scores.dtype).min).amax(dim=2, keepdim=True)
    powers = torch.where(kept, scores - largest, 0.0).exp() * kept
    return powers / powers.sum(dim=2, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)
