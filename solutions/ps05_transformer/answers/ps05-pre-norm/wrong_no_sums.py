"""The sub-layers replace x instead of adding to it.

Message: The sums with x are missing
"""


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    return feed_forward(norm_2(attend(norm_1(x))))
