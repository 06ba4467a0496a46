"""Both sub-layers see the x that came in.

Message: The second sub-layer must see what the first one added
"""


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    return x + attend(norm_1(x)) + feed_forward(norm_2(x))
