"""Features that do not fit are dropped without a word.

Message: should end in a ValueError that you raise
"""


def split_heads(x, heads):
    batch, length, model = x.shape
    size = model // heads
    return x[..., : heads * size].reshape(batch, length, heads, size).transpose(1, 2)


def merge_heads(y):
    return y.transpose(1, 2).flatten(2)
