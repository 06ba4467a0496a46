"""A position may not look at itself.

Message: A position may look at itself
"""


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril(-1)[length - (new or length) :]
    return causal & (tokens != pad)[:, None, None]
