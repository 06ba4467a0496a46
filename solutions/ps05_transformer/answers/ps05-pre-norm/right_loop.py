"""Written as a loop over the two sub-layers."""


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    for norm, sublayer in ((norm_1, attend), (norm_2, feed_forward)):
        x = sublayer(norm(x)) + x
    return x
