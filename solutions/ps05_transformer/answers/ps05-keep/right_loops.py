"""Written with loops over sentences, queries and keys."""


def decoder_keep(tokens, pad, new=None):
    length = tokens.shape[1]
    asking = range(length) if new is None else range(length - new, length)
    keep = [[[[k <= q and t != pad for k, t in enumerate(row)] for q in asking]] for row in tokens.tolist()]
    return torch.tensor(keep)
