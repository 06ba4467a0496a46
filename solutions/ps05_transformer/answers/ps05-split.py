# %% right: chunks
# Written with chunks: cut the features, stack the parts on an axis of their own.


def split_heads(x, heads):
    if x.shape[-1] % heads:
        raise ValueError("heads does not divide the features")
    return torch.stack(x.chunk(heads, dim=-1), dim=1)


def merge_heads(y):
    return torch.cat(list(y.unbind(dim=1)), dim=-1)


# %% right: einsum
# Written with unflatten, permute and contiguous.


def split_heads(x, heads):
    if x.shape[2] % heads != 0:
        raise ValueError(f"{heads} heads for {x.shape[2]} features")
    return x.unflatten(2, (heads, x.shape[2] // heads)).permute(0, 2, 1, 3)


def merge_heads(y):
    batch, heads, length, size = y.shape
    return y.permute(0, 2, 1, 3).contiguous().view(batch, length, heads * size)


# %% wrong: as it was
# The colleague's functions, unchanged.
# Message: a reshape alone cuts the row of all numbers into heads


def split_heads(x, heads):
    batch, length, model = x.shape
    if model % heads:
        raise ValueError("heads does not divide the features")
    return x.reshape(batch, heads, length, model // heads)


def merge_heads(y):
    batch, heads, length, size = y.shape
    return y.reshape(batch, length, heads * size)


# %% wrong: interleaved
# The features are dealt out in turn: head 0 gets every second one.
# Message: Head 0 gets the first features, not every second one


def split_heads(x, heads):
    batch, length, model = x.shape
    if model % heads:
        raise ValueError("heads does not divide the features")
    return x.reshape(batch, length, model // heads, heads).permute(0, 3, 1, 2)


def merge_heads(y):
    return y.permute(0, 2, 3, 1).flatten(2)


# %% wrong: library
# The library's layer splits.
# Message: your answer calls course_lib.attention.multihead.MultiHeadAttention


from course_lib.attention import MultiHeadAttention


def split_heads(x, heads):
    return MultiHeadAttention(x.shape[-1], heads).split(x)


def merge_heads(y):
    return y.transpose(1, 2).flatten(2)


# %% wrong: merge forgotten
# The split is mended, the merge is not.
# Message: That is the colleague's merge


def split_heads(x, heads):
    batch, length, model = x.shape
    if model % heads:
        raise ValueError("heads does not divide the features")
    return x.reshape(batch, length, heads, model // heads).transpose(1, 2)


def merge_heads(y):
    batch, heads, length, size = y.shape
    return y.reshape(batch, length, heads * size)


# %% wrong: no transpose
# The features are split, but the heads stay behind the positions.
# Message: two axes are swapped


def split_heads(x, heads):
    batch, length, model = x.shape
    if model % heads:
        raise ValueError("heads does not divide the features")
    return x.reshape(batch, length, heads, model // heads)


def merge_heads(y):
    return y.flatten(2)


# %% wrong: silent
# Features that do not fit are dropped without a word.
# Message: should end in a ValueError that you raise


def split_heads(x, heads):
    batch, length, model = x.shape
    size = model // heads
    return x[..., : heads * size].reshape(batch, length, heads, size).transpose(1, 2)


def merge_heads(y):
    return y.transpose(1, 2).flatten(2)


# %% wrong: view
# A view of numbers that are not stored in order.
# Message: If torch complains about `view`: it needs numbers that are stored in order


def split_heads(x, heads):
    batch, length, model = x.shape
    if model % heads:
        raise ValueError("heads does not divide the features")
    return x.view(batch, length, heads, model // heads).transpose(1, 2)


def merge_heads(y):
    batch, heads, length, size = y.shape
    return y.transpose(1, 2).view(batch, length, heads * size)
