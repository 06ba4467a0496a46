"""The features are dealt out in turn: head 0 gets every second one.

Message: Head 0 gets the first features, not every second one
"""


def split_heads(x, heads):
    batch, length, model = x.shape
    if model % heads:
        raise ValueError("heads does not divide the features")
    return x.reshape(batch, length, model // heads, heads).permute(0, 3, 1, 2)


def merge_heads(y):
    return y.permute(0, 2, 3, 1).flatten(2)
