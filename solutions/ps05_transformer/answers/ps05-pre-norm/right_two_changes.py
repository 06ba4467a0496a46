"""Written as x plus two changes."""


def pre_norm_layer(x, attend, feed_forward, norm_1, norm_2):
    seen = attend(norm_1(x))
    thought = feed_forward(norm_2(x + seen))
    return torch.stack([x, seen, thought]).sum(dim=0)
