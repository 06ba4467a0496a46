# %% right: exp over sum
# Written out: exp of the distance to the largest kept score, divided by the sum.


def masked_softmax(scores, keep):
    kept = keep[:, None, :].expand_as(scores)
    largest = scores.masked_fill(~kept, torch.finfo(scores.dtype).min).amax(dim=2, keepdim=True)
    powers = torch.where(kept, scores - largest, 0.0).exp() * kept
    return powers / powers.sum(dim=2, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)


# %% right: loops
# Written with loops: one row at a time, over its kept scores only.


def masked_softmax(scores, keep):
    alpha = torch.zeros_like(scores)
    for b in range(scores.shape[0]):
        kept = keep[b].nonzero().flatten()
        for i in range(scores.shape[1]):
            if len(kept):
                alpha[b, i, kept] = torch.softmax(scores[b, i, kept], dim=0)
    return alpha


# %% right: minus infinity with care
# Written with -inf; a row that keeps nothing is softened first and zeroed afterwards.


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    empty = ~kept.any(dim=-1, keepdim=True)
    alpha = torch.where(kept | empty, scores, -torch.inf).softmax(dim=-1)
    return alpha.masked_fill(empty, 0.0)


# %% wrong: float32
# Half-precision scores come back in single precision.
# Message: Do not convert the numbers


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    scores = scores.float() if scores.dtype == torch.float16 else scores
    return scores.masked_fill(~kept, torch.finfo(scores.dtype).min).softmax(dim=-1) * kept


# %% wrong: in place
# The caller's scores are overwritten.
# Message: changed the caller's scores


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    scores.data.masked_fill_(~kept, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1) * kept


# %% wrong: library
# The library's own function does the work.
# Message: your answer calls course_lib.attention.masks.masked_softmax


def masked_softmax(scores, keep):
    from course_lib.attention import masked_softmax as ready_made

    return ready_made(scores, keep.unsqueeze(1))


# %% wrong: mask after softmax
# The mask comes after the softmax: what it takes away is lost.
# Message: Masking after the softmax takes weight away


def masked_softmax(scores, keep):
    return scores.softmax(dim=-1) * keep.unsqueeze(1)


# %% wrong: mask inverted
# True is taken to mean: mask this.
# Message: True means keep


def masked_softmax(scores, keep):
    return scores.masked_fill(keep.unsqueeze(1), torch.finfo(scores.dtype).min).softmax(dim=-1)


# %% wrong: mask of the target
# The mask is broadcast as if it belonged to the target step.
# Message: Your mask belongs to the target step


def masked_softmax(scores, keep):
    rows = keep if len(keep) == scores.shape[1] else keep.unsqueeze(1)
    return scores.masked_fill(~rows, torch.finfo(scores.dtype).min).softmax(dim=-1) * rows


# %% wrong: minus a billion
# A fill value of -1e9, which float16 cannot hold.
# Message: does not fit into float16


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    return scores.masked_fill(~kept, -1e9).softmax(dim=-1) * kept


# %% wrong: minus infinity
# A fill value of -inf, and no thought for a row that keeps nothing.
# Message: A softmax over nothing but -inf is 0 / 0


def masked_softmax(scores, keep):
    return scores.masked_fill(~keep.unsqueeze(1), -math.inf).softmax(dim=-1)


# %% wrong: minus ten thousand
# A fill value of -10,000, which real scores can undercut.
# Message: A fill value such as -1e4 is not low enough


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    return scores.masked_fill(~kept, -1e4).softmax(dim=-1) * kept


# %% wrong: nan gradient
# The NaN of an empty row is wiped off the weights, but stays in the gradient.
# Message: the gradient of scores is NaN


def masked_softmax(scores, keep):
    penalty = torch.zeros(keep.shape, dtype=scores.dtype).masked_fill(~keep, -math.inf)
    return (scores + penalty.unsqueeze(1)).softmax(dim=-1).nan_to_num(0.0)


# %% wrong: no mask
# The mask is forgotten.
# Message: The mask did not reach the softmax


def masked_softmax(scores, keep):
    return scores.softmax(dim=-1)


# %% wrong: scores times mask
# Scores are multiplied by the mask, as if a score of 0 meant no weight.
# Message: The mask did not reach the softmax


def masked_softmax(scores, keep):
    return (scores * keep.unsqueeze(1)).softmax(dim=-1)


# %% wrong: softmax over batch
# The softmax runs over the batch.
# Message: sum to 1 over the batch axis; they should sum to 1 over the source axis


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~kept, lowest).softmax(dim=0) * kept


# %% wrong: softmax over target
# The softmax runs over the target steps.
# Message: sum to 1 over the target axis; they should sum to 1 over the source axis


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1)
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~kept, lowest).softmax(dim=1) * kept


# %% wrong: torch
# torch's softmax with a mask is asked.
# Message: your answer calls torch's softmax


def masked_softmax(scores, keep):
    kept = keep.unsqueeze(1).expand_as(scores)
    return torch.masked.softmax(scores, dim=-1, mask=kept).where(kept, 0.0)
