# %% right: loops
# Written with loops: one word at a time, over the words that it may look at.


def self_attention(x, keep, itself=True):
    batch, time, _ = x.shape
    contexts, rows = [], []
    for b in range(batch):
        for i in range(time):
            seen = [j for j in range(time) if keep[b, j] and (itself or j != i)]
            row = torch.zeros(time, dtype=x.dtype)
            if seen:
                row = row.index_add(0, torch.tensor(seen), torch.softmax(x[b, seen] @ x[b, i], dim=0))
            rows.append(row)
            contexts.append(row @ x[b])
    return torch.stack(contexts).reshape(x.shape), torch.stack(rows).reshape(batch, time, time)


# %% right: powers
# Written out with einsum: powers of the scores, masked, divided by their sum.


def self_attention(x, keep, itself=True):
    scores = torch.einsum("bid,bjd->bij", x, x)
    allowed = keep[:, None, :] & (itself | ~torch.eye(x.shape[1], dtype=torch.bool))
    powers = torch.where(allowed, scores - scores.amax(dim=2, keepdim=True).detach(), 0.0).exp() * allowed
    total = powers.sum(dim=2, keepdim=True)
    weights = powers / torch.where(total > 0, total, 1.0)
    return torch.einsum("bij,bjd->bid", weights, x), weights


# %% wrong: context only
# Only the context is returned.
# Message: expected a tuple (context, weights), got torch.Tensor


def self_attention(x, keep, itself=True):
    allowed = keep.unsqueeze(1) & (itself | (torch.eye(x.shape[1]) == 0))
    scores = (x @ x.transpose(1, 2)).masked_fill(~allowed, torch.finfo(x.dtype).min)
    return (scores.softmax(dim=-1) * allowed) @ x


# %% wrong: cosine
# Directions are compared instead of vectors.
# Message: You compared directions only


def self_attention(x, keep, itself=True):
    unit = torch.nn.functional.normalize(x, dim=-1)
    allowed = keep.unsqueeze(1) & (itself | (torch.eye(x.shape[1]) == 0))
    scores = (unit @ unit.transpose(1, 2)).masked_fill(~allowed, torch.finfo(x.dtype).min)
    weights = scores.softmax(dim=-1) * allowed
    return weights @ x, weights


# %% wrong: library
# The library's own function does the work.
# Message: your answer calls course_lib.attention.self_attention.vanilla_self_attention


def self_attention(x, keep, itself=True):
    from course_lib.attention.self_attention import vanilla_self_attention

    return vanilla_self_attention(x, keep)


# %% wrong: nothing to see
# A row that may look at nothing becomes NaN.
# Message: 0 / 0 is NaN


def self_attention(x, keep, itself=True):
    allowed = keep.unsqueeze(1) & (itself | (torch.eye(x.shape[1]) == 0))
    weights = (x @ x.transpose(1, 2)).masked_fill(~allowed, -math.inf).softmax(dim=-1)
    return weights @ x, weights


# %% wrong: rows masked
# The mask closes the rows of padding, the words that ask, and leaves its columns open.
# Message: The mask belongs to the columns


def self_attention(x, keep, itself=True):
    allowed = keep.unsqueeze(2) & (itself | (torch.eye(x.shape[1]) == 0))
    scores = x @ x.transpose(1, 2)
    weights = scores.masked_fill(~allowed, torch.finfo(x.dtype).min).softmax(dim=-1) * allowed
    return weights @ x, weights


# %% wrong: scaled
# The scores are scaled by habit.
# Message: A factor 1/√d belongs to exercise 4


def self_attention(x, keep, itself=True):
    allowed = keep.unsqueeze(1) & (itself | (torch.eye(x.shape[1]) == 0))
    scores = x @ x.transpose(1, 2) / math.sqrt(x.shape[-1])
    weights = scores.masked_fill(~allowed, torch.finfo(x.dtype).min).softmax(dim=-1) * allowed
    return weights @ x, weights


# %% wrong: score of zero
# A word's score with itself is set to 0, as if that were no weight.
# Message: A score of 0 is no mask


def self_attention(x, keep, itself=True):
    scores = x @ x.transpose(1, 2)
    if not itself:
        scores = scores * (1 - torch.eye(x.shape[1], dtype=x.dtype))
    allowed = keep.unsqueeze(1)
    weights = scores.masked_fill(~allowed, torch.finfo(x.dtype).min).softmax(dim=-1) * allowed
    return weights @ x, weights


# %% wrong: softmax over rows
# The softmax runs over the words that ask; the scores are symmetric, so nobody notices.
# Message: your weights sum to 1 over the word axis; they should sum to 1 over the looked at axis


def self_attention(x, keep, itself=True):
    allowed = keep.unsqueeze(1) & (itself | (torch.eye(x.shape[1]) == 0))
    scores = (x @ x.transpose(1, 2)).masked_fill(~allowed, torch.finfo(x.dtype).min)
    weights = scores.softmax(dim=1) * allowed
    return weights @ x, weights


# %% wrong: switch ignored
# The switch has no influence.
# Message: itself=False has no influence


def self_attention(x, keep, itself=True):
    allowed = keep.unsqueeze(1)
    weights = (x @ x.transpose(1, 2)).masked_fill(~allowed, torch.finfo(x.dtype).min).softmax(
        dim=-1
    ) * allowed
    return weights @ x, weights
