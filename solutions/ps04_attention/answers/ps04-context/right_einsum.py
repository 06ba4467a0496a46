"""Written with scatter, where and einsum."""


def contexts(weights, h, drop=None):
    if drop is not None:
        index = drop[:, None, None].expand(-1, weights.shape[1], 1)
        left = weights.scatter(2, index, 0.0)
        total = left.sum(2, keepdim=True)
        weights = torch.where(total > 0, left / torch.where(total > 0, total, torch.ones_like(total)), 0.0)
    return torch.einsum("bts,bsk->btk", weights, h)
