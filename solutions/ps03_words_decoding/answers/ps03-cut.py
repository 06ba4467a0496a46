# %% right: comparisons
# Written by comparing every two tokens.


def next_distribution(logits, temperature, top_k, top_p):
    p = ((logits - logits.max(dim=-1, keepdim=True).values) / temperature).softmax(dim=-1)
    larger = p.unsqueeze(-2) > p.unsqueeze(-1)
    if top_k is not None:
        p = torch.where(larger.sum(dim=-1) < top_k, p, torch.zeros_like(p))
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p != 1:
        ahead = (p.unsqueeze(-2) * larger).sum(dim=-1)
        p = torch.where(ahead < top_p, p, torch.zeros_like(p))
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% right: logits cut
# Written by setting logits to −∞ and taking the softmax anew.


def next_distribution(logits, temperature, top_k, top_p):
    s = (logits - logits.amax(dim=-1, keepdim=True)).double() / temperature
    order = s.argsort(dim=-1, descending=True)
    s = s.gather(-1, order)
    if top_k is not None and top_k < s.shape[-1]:
        s = s.masked_fill(s < s[..., top_k - 1 : top_k], -torch.inf)
    if top_p is not None and top_p < 1:
        p = s.softmax(dim=-1)
        count = (p.cumsum(dim=-1) - p < top_p).sum(dim=-1, keepdim=True)
        s = s.masked_fill(s < s.gather(-1, count - 1), -torch.inf)
    p = s.softmax(dim=-1).to(logits.dtype)
    return torch.zeros_like(p).scatter(-1, order, p)


# %% wrong: crossing token out
# The token that crosses top_p is cut.
# Message: The token with which the sum reaches top_p is inside the nucleus; yours stops before it


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = (ordered.cumsum(dim=-1) <= top_p) | (ordered == ordered[..., :1])
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: in place
# The caller's logits are scaled in place.
# Message: your function changed the caller's logits


def next_distribution(logits, temperature, top_k, top_p):
    scaled = logits.sub_(logits.amax(dim=-1, keepdim=True)).div_(temperature)
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: k beyond
# k may not be larger than the vocabulary.
# Message: A top_k beyond the vocabulary cuts nothing


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(top_k, dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: left sorted
# The probabilities come back sorted.
# Message: Each token keeps its place; yours are sorted by probability


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p.sort(dim=-1, descending=True).values


# %% wrong: library
# The library's distribution is asked.
# Message: your answer calls course_lib.decoding.sampling.next_probabilities


def next_distribution(logits, temperature, top_k, top_p):
    from course_lib.decoding.sampling import next_probabilities

    return next_probabilities(logits, temperature, top_k, top_p)


# %% wrong: no temperature
# The temperature has no influence.
# Message: The temperature has no influence


def next_distribution(logits, temperature, top_k, top_p):
    scaled = logits - logits.amax(dim=-1, keepdim=True)
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: not renormalised
# What stays is not divided by its sum.
# Message: What stays must be divided by its sum, after each cut


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
    return p


# %% wrong: nucleus first
# The nucleus is cut before top-k.
# Message: The nucleus works on what top-k left, divided by its sum; yours adds up the uncut probabilities


def next_distribution(logits, temperature, top_k, top_p):
    p = ((logits - logits.amax(dim=-1, keepdim=True)) / temperature).softmax(dim=-1)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: once at the end
# What top-k leaves is not divided by its sum before the nucleus.
# Message: The nucleus works on what top-k left, divided by its sum


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p / p.sum(dim=-1, keepdim=True)


# %% wrong: one cuts
# top_p = 1 cuts what is lost in rounding.
# Message: top_p = 1 cuts nothing, however improbable


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: one token more
# One token too many stays in the nucleus.
# Message: The nucleus ends with the token that reaches top_p; yours has one more


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered - ordered.roll(1, -1) < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: overflow
# The exponentials are taken without subtracting the largest logit.
# Message: subtract the largest logit


def next_distribution(logits, temperature, top_k, top_p):
    p = (logits / temperature).exp()
    p = p / p.sum(dim=-1, keepdim=True)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: temperature last
# The temperature comes after the cuts.
# Message: The temperature comes first: it decides what the cuts see


def next_distribution(logits, temperature, top_k, top_p):
    p = logits.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
    p = p.log() / temperature
    return (p - p.amax(dim=-1, keepdim=True)).softmax(dim=-1)


# %% wrong: temperature times
# The logits are multiplied by the temperature.
# Message: You multiplied by the temperature; divide by it


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) * temperature
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: threshold
# A token stays if its own probability is at least top_p.
# Message: top_p is compared with the sum of the more probable tokens, not with a token's own probability


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = (ordered >= top_p) | (ordered == ordered[..., :1])
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: ties by index
# Of equals at the border those of smaller number stay.
# Message: Equals are treated alike: tokens as probable as the last one that stays, stay too


def next_distribution(logits, temperature, top_k, top_p):
    p = ((logits - logits.amax(dim=-1, keepdim=True)) / temperature).softmax(dim=-1)
    order = p.argsort(dim=-1, descending=True, stable=True)
    p = p.gather(-1, order)
    if top_k is not None:
        p[..., top_k:] = 0
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        p = p.where(p.cumsum(dim=-1) - p < top_p, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return torch.zeros_like(p).scatter(-1, order, p)


# %% wrong: top k missing
# Top-k has no influence.
# Message: top_k has no influence


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    p = scaled.softmax(dim=-1)
    if False:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: top p missing
# The nucleus has no influence.
# Message: top_p has no influence


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, p.shape[-1]), dim=-1).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if False:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: whole batch
# The cuts look at all rows together.
# Message: Each row is cut by itself; yours compares tokens of different rows


def next_distribution(logits, temperature, top_k, top_p):
    scaled = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    p = scaled.softmax(dim=-1)
    if top_k is not None:
        kept = p.flatten().topk(min(top_k, p.numel())).values
        p = p.where(p >= kept[..., -1:], 0)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p < 1:
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        least = ordered.where(inside, 1).amin(dim=-1, keepdim=True)
        p = p.where(p >= least, 0)
        p = p / p.sum(dim=-1, keepdim=True)
    return p


# %% wrong: zero logit
# The cut tokens get the logit 0.
# Message: A logit of 0 is no cut: e^0 = 1. Set what is cut to −∞, or its probability to 0


def next_distribution(logits, temperature, top_k, top_p):
    s = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    if top_k is not None:
        s = s.where(s >= s.topk(min(top_k, s.shape[-1]), dim=-1).values[..., -1:], 0)
    if top_p is not None and top_p < 1:
        p = s.softmax(dim=-1)
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        s = s.where(p >= ordered.where(inside, 1).amin(dim=-1, keepdim=True), 0)
    return s.softmax(dim=-1)
