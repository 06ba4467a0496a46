"""The candidate changes its sign, too.

Message: The candidate means the same in both
"""


def to_slides(W, U, b, d):
    def turned(packed):
        r, z, n = packed.chunk(3)
        return torch.cat([-z, r, -n])

    return turned(W), turned(U), turned(b), turned(d)
