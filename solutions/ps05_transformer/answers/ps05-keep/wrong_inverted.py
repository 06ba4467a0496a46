"""True means: hide this, as in torch's own layers.

Message: True means keep
"""


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()[length - (new or length) :]
    return ~(causal & (tokens != pad)[:, None, None])
