"""The rows of padding are closed, its columns are open.

Message: only its columns are closed
"""


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    first = length - (new or length)
    causal = torch.ones(length, length, dtype=torch.bool).tril()[first:]
    return causal & (tokens != pad)[:, None, first:, None]
