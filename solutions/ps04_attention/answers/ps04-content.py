# %% right: largest taken off
# exp over sum, with the largest score taken off first; lengths by clamping.


def content_weights(s, h, beta):
    lengths = (s * s).sum(-1).clamp(min=1e-24).sqrt().unsqueeze(2) * (h * h).sum(-1).clamp(
        min=1e-24
    ).sqrt().unsqueeze(1)
    scores = torch.einsum("btd,bsd,bt->bts", s, h, beta) / lengths
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


# %% right: loops
# Written with loops: one cosine for every pair.


def cosine(a, b):
    if not a.any() or not b.any():
        return (a * b).sum()
    return (a * b).sum() / a.norm() / b.norm()


def content_weights(s, h, beta):
    rows = [
        [
            torch.stack([b * cosine(q, k) for k in keys]).softmax(dim=0)
            for q, b in zip(queries, sharp, strict=True)
        ]
        for queries, keys, sharp in zip(s, h, beta, strict=True)
    ]
    return torch.stack([torch.stack(row) for row in rows])


# %% right: torch cosine
# torch's cosine similarity over all pairs.


def content_weights(s, h, beta):
    cosines = torch.nn.functional.cosine_similarity(s.unsqueeze(2), h.unsqueeze(1), dim=-1)
    return torch.softmax(cosines * beta[..., None], dim=-1)


# %% wrong: beta after softmax
# β scales the weights instead of the scores.
# Message: they should sum to 1


def content_weights(s, h, beta):
    cosines = torch.nn.functional.cosine_similarity(s.unsqueeze(2), h.unsqueeze(1), dim=-1)
    return beta.unsqueeze(-1) * cosines.softmax(dim=-1)


# %% wrong: beta divides
# β is taken for a temperature.
# Message: it is no temperature to divide by


def content_weights(s, h, beta):
    cosines = torch.nn.functional.cosine_similarity(s.unsqueeze(2), h.unsqueeze(1), dim=-1)
    return (cosines / beta.unsqueeze(-1)).softmax(dim=-1)


# %% wrong: beta of the entry
# β gets a target axis instead of a source axis, which shows only where the sizes differ or the numbers do.
# Message: β belongs to the target step, not to the entry


def content_weights(s, h, beta):
    cosines = torch.nn.functional.cosine_similarity(s.unsqueeze(2), h.unsqueeze(1), dim=-1)
    sharp = beta.unsqueeze(1) if beta.shape[1] == h.shape[1] else beta.unsqueeze(2)
    return (sharp * cosines).softmax(dim=-1)


# %% wrong: dot
# The product is not divided by the lengths.
# Message: This is the dot product; divide it by both lengths


def content_weights(s, h, beta):
    return (beta.unsqueeze(-1) * (s @ h.transpose(1, 2))).softmax(dim=-1)


# %% wrong: library
# Calls the course's own score.
# Message: your answer calls course_lib.attention


from course_lib.attention import CosineAttention


def content_weights(s, h, beta):
    scores = torch.stack([CosineAttention().score(s[:, i], h) for i in range(s.shape[1])], dim=1)
    return (beta.unsqueeze(-1) * scores).softmax(dim=-1)


# %% wrong: nan at zeros
# 0 / 0 for an entry of zeros.
# Message: Its cosine is 0, and 0 / 0 is NaN


def content_weights(s, h, beta):
    s = s / s.norm(dim=-1, keepdim=True)
    h = h / h.norm(dim=-1, keepdim=True)
    return (beta.unsqueeze(-1) * (s @ h.transpose(1, 2))).softmax(dim=-1)


# %% wrong: nan gradient
# NaN is put right in the weights, and stays in the gradient.
# Message: is NaN or infinite


def content_weights(s, h, beta):
    s = (s / s.square().sum(dim=-1, keepdim=True).sqrt()).nan_to_num()
    h = (h / h.square().sum(dim=-1, keepdim=True).sqrt()).nan_to_num()
    return (beta.unsqueeze(-1) * (s @ h.transpose(1, 2))).softmax(dim=-1)


# %% wrong: number added
# A number added to the lengths, large enough to count.
# Message: A number added to the lengths makes short entries vanish


def content_weights(s, h, beta):
    lengths = s.norm(dim=-1).unsqueeze(2) * h.norm(dim=-1).unsqueeze(1) + 1e-6
    return (beta.unsqueeze(-1) * (s @ h.transpose(1, 2)) / lengths).softmax(dim=-1)


# %% wrong: only the entries
# Only the entries are brought to length 1.
# Message: You divided by the length of the entries alone


def content_weights(s, h, beta):
    h = h / h.norm(dim=-1, keepdim=True).clamp(min=1e-12)
    return (beta.unsqueeze(-1) * (s @ h.transpose(1, 2))).softmax(dim=-1)


# %% wrong: only the question
# Only the question is brought to length 1.
# Message: You divided by the length of s alone


def content_weights(s, h, beta):
    s = s / s.norm(dim=-1, keepdim=True).clamp(min=1e-12)
    return (beta.unsqueeze(-1) * (s @ h.transpose(1, 2))).softmax(dim=-1)


# %% wrong: overflow
# exp over sum, without care for large scores.
# Message: exp overflows


def content_weights(s, h, beta):
    cosines = torch.nn.functional.cosine_similarity(s.unsqueeze(2), h.unsqueeze(1), dim=-1)
    powers = (beta.unsqueeze(-1) * cosines).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


# %% wrong: softmax over target
# The softmax runs over the questions.
# Message: they should sum to 1 over the source axis


def content_weights(s, h, beta):
    cosines = torch.nn.functional.cosine_similarity(s.unsqueeze(2), h.unsqueeze(1), dim=-1)
    return (beta.unsqueeze(-1) * cosines).softmax(dim=1)


# %% wrong: squared lengths
# The square root of the lengths is forgotten.
# Message: the square root is missing


def content_weights(s, h, beta):
    squares = s.square().sum(-1).unsqueeze(2) * h.square().sum(-1).unsqueeze(1)
    return (beta.unsqueeze(-1) * (s @ h.transpose(1, 2)) / squares.clamp(min=1e-12)).softmax(dim=-1)
