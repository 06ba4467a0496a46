"""Written with einsum, powers and their sum; the query is scaled instead of the scores."""


def attention(query, key, value, keep=None):
    scores = torch.einsum("...td,...sd->...ts", query * query.shape[-1] ** -0.5, key)
    if keep is None:
        keep = torch.ones_like(scores) > 0
    top = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).amax(dim=-1, keepdim=True).detach()
    powers = torch.where(keep, scores - top, 0.0).exp() * keep
    weights = powers / powers.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)
    return torch.einsum("...ts,...sf->...tf", weights, value), weights
