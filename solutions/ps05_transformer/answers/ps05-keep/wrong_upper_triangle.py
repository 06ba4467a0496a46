"""The upper triangle: every position looks ahead.

Message: This looks into the future
"""


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).triu()[length - (new or length) :]
    return causal & (tokens != pad)[:, None, None]
