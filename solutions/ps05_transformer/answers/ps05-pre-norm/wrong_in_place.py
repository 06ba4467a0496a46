"""The sum is written into the caller's x.

Message: changed the caller's x
"""


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    x += attend(norm_1(x))
    x += feed_forward(norm_2(x))
    return x
