# %% right: loop
# Written as a loop over the two sub-layers.


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    for norm, sublayer in ((norm_1, attend), (norm_2, feed_forward)):
        x = sublayer(norm(x)) + x
    return x


# %% right: two changes
# Written as x plus two changes.


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    seen = attend(norm_1(x))
    thought = feed_forward(norm_2(x + seen))
    return torch.stack([x, seen, thought]).sum(dim=0)


# %% wrong: computed twice
# The result of the first sub-layer is computed twice.
# Message: attend was called 2 times


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    return x + attend(norm_1(x)) + feed_forward(norm_2(x + attend(norm_1(x))))


# %% wrong: in place
# The sum is written into the caller's x.
# Message: changed the caller's x


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    x += attend(norm_1(x))
    x += feed_forward(norm_2(x))
    return x


# %% wrong: no sums
# The sub-layers replace x instead of adding to it.
# Message: The sums with x are missing


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    return feed_forward(norm_2(attend(norm_1(x))))


# %% wrong: post norm
# The normalisation comes after the sum.
# Message: That is post-norm


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x + attend(x))
    return norm_2(x + feed_forward(x))


# %% wrong: same norm twice
# The first normalisation serves both sub-layers.
# Message: norm_1 was used twice


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return x + feed_forward(norm_1(x))


# %% wrong: side by side
# Both sub-layers see the x that came in.
# Message: The second sub-layer must see what the first one added


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    return x + attend(norm_1(x)) + feed_forward(norm_2(x))


# %% wrong: sum with normalised
# The sum takes the normalised x: the free path is gone.
# Message: not the normalised x


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    x = norm_1(x)
    x = x + attend(x)
    x = norm_2(x)
    return x + feed_forward(x)
