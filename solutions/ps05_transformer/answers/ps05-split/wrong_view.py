"""A view of numbers that are not stored in order.

Message: If torch complains about `view`: it needs numbers that are stored in order
"""


def split_heads(x, heads):
    batch, length, model = x.shape
    if model % heads:
        raise ValueError("heads does not divide the features")
    return x.view(batch, length, heads, model // heads).transpose(1, 2)


def merge_heads(y):
    batch, heads, length, size = y.shape
    return y.transpose(1, 2).view(batch, length, heads * size)
