"""The first normalisation serves both sub-layers.

Message: norm_1 was used twice
"""


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return x + feed_forward(norm_1(x))
