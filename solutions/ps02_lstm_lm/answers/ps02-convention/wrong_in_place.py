"""The caller's weights are changed.

Message: your function changed the caller's W
"""


def to_slides(W, U, b, d):
    for packed in (W, U, b, d):
        size = len(packed) // 3
        r = packed[:size].clone()
        packed[:size] = -packed[size : 2 * size]
        packed[size : 2 * size] = r
    return W, U, b, d
