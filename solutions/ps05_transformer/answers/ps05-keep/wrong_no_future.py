"""Only padding is closed; the future is open.

Message: The future is open
"""


def decoder_keep(tokens, pad, new=None):
    batch, length = tokens.shape
    return (tokens != pad)[:, None, None].expand(batch, 1, new or length, length)
