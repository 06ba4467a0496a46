"""A block is taken for a row: the example has one unit.

Message: A block has `hidden` rows, not one
"""


def to_slides(W, U, b, d):
    def turned(packed):
        new = packed.clone()
        new[0], new[1] = -packed[1], packed[0]
        return new

    return turned(W), turned(U), turned(b), turned(d)
