"""The split is mended, the merge is not.

Message: That is the colleague's merge
"""


def split_heads(x, heads):
    batch, length, model = x.shape
    if model % heads:
        raise ValueError("heads does not divide the features")
    return x.reshape(batch, length, heads, model // heads).transpose(1, 2)


def merge_heads(y):
    batch, heads, length, size = y.shape
    return y.reshape(batch, length, heads * size)
