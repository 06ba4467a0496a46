"""Only the future is closed; padding is forgotten.

Message: Padding may still be looked at
"""


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()[length - (new or length) :]
    return causal.expand(len(tokens), 1, -1, -1)
