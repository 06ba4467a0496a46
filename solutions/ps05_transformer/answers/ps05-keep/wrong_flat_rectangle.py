"""The triangle of a flat rectangle: the new positions are taken for the first.

Message: The last positions ask, not the first
"""


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(new or length, length, dtype=torch.bool).tril()
    return causal & (tokens != pad)[:, None, None]
