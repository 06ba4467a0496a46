"""The normalisation comes after the sum.

Message: That is post-norm
"""


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x + attend(x))
    return norm_2(x + feed_forward(x))
