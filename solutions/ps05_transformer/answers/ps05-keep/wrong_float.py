"""The mask is of numbers.

Message: expected a boolean mask
"""


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length).tril()[length - (new or length) :]
    return causal * (tokens != pad)[:, None, None]
