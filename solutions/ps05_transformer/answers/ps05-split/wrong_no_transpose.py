"""The features are split, but the heads stay behind the positions.

Message: two axes are swapped
"""


def split_heads(x, heads):
    batch, length, model = x.shape
    if model % heads:
        raise ValueError("heads does not divide the features")
    return x.reshape(batch, length, heads, model // heads)


def merge_heads(y):
    return y.flatten(2)
