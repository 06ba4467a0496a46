"""Written with a square triangle, cut to its last rows."""


def decoder_keep(tokens, pad, new=None):
    batch, length = tokens.shape
    causal = torch.ones(length, length, dtype=torch.bool).tril()[length - (new or length) :]
    real = tokens.ne(pad).reshape(batch, 1, 1, length)
    return torch.logical_and(causal, real)
