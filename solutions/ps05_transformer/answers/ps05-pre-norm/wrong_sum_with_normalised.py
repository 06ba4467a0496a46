"""The sum takes the normalised x: the free path is gone.

Message: not the normalised x
"""


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x)
    x = x + attend(x)
    x = norm_2(x)
    return x + feed_forward(x)
