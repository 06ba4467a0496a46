"""Real tokens are counted, as if padding stood only at the end.

Message: compare the tokens with pad; do not count them
"""


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()[length - (new or length) :]
    real = torch.arange(length) < (tokens != pad).sum(dim=1, keepdim=True)
    return causal & real[:, None, None]
