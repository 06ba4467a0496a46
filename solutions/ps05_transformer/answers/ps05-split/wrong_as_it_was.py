"""The colleague's functions, unchanged.

Message: a reshape alone cuts the row of all numbers into heads
"""


def split_heads(x, heads):
    batch, length, model = x.shape
    if model % heads:
        raise ValueError("heads does not divide the features")
    return x.reshape(batch, heads, length, model // heads)


def merge_heads(y):
    batch, heads, length, size = y.shape
    return y.reshape(batch, length, heads * size)
