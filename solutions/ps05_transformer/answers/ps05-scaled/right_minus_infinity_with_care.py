"""Written with -inf; a row that keeps nothing is softened first and zeroed afterwards."""


def attention(query, key, value, keep=None):
    scores = torch.matmul(query, key.transpose(-1, -2)).div(key.size(-1) ** 0.5)
    keep = torch.tensor(True) if keep is None else keep
    keep = keep.expand(scores.shape)
    empty = ~keep.any(dim=-1, keepdim=True)
    weights = scores.masked_fill(~(keep | empty), -math.inf).softmax(dim=-1).masked_fill(empty, 0.0)
    return weights.matmul(value), weights
