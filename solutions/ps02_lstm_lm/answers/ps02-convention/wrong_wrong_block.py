"""The reset gate is turned in the update gate's place.

Message: You turned the sign of the wrong block
"""


def to_slides(W, U, b, d):
    def turned(packed):
        r, z, n = packed.chunk(3)
        return torch.cat([z, -r, n])

    return turned(W), turned(U), turned(b), turned(d)
