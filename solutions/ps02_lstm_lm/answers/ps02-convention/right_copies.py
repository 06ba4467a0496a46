"""Written on copies, block by block."""


def to_slides(W, U, b, d):
    result = []
    for old in (W, U, b, d):
        new, size = old.clone(), len(old) // 3
        new[:size] = old[size : 2 * size].neg()
        new[size : 2 * size] = old[:size]
        result.append(new)
    return tuple(result)
