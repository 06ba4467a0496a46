"""Only the sign changes; the order is torch's.

Message: the slides have z, r, n
"""


def to_slides(W, U, b, d):
    def turned(packed):
        r, z, n = packed.chunk(3)
        return torch.cat([r, -z, n])

    return turned(W), turned(U), turned(b), turned(d)
