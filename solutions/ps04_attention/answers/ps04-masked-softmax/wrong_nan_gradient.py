"""The NaN of an empty row is wiped off the weights, but stays in the gradient.

Message: the gradient of scores is NaN
"""


def masked_softmax(scores, keep):
    penalty = torch.zeros(keep.shape, dtype=scores.dtype).masked_fill(~keep, -math.inf)
    return (scores + penalty.unsqueeze(1)).softmax(dim=-1).nan_to_num(0.0)
