"""The result of the first sub-layer is computed twice.

Message: attend was called 2 times
"""


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    return x + attend(norm_1(x)) + feed_forward(norm_2(x + attend(norm_1(x))))
