"""Written with unflatten, permute and contiguous."""


def split_heads(x, heads):
    if x.shape[2] % heads != 0:
        raise ValueError(f"{heads} heads for {x.shape[2]} features")
    return x.unflatten(2, (heads, x.shape[2] // heads)).permute(0, 2, 1, 3)


def merge_heads(y):
    batch, heads, length, size = y.shape
    return y.permute(0, 2, 1, 3).contiguous().view(batch, length, heads * size)
