"""Padding is taken to be token 0.

Message: The pad token is an argument
"""


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()[length - (new or length) :]
    return causal & (tokens != 0)[:, None, None]
