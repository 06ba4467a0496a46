"""Written out with einsum: powers of the scores, masked, divided by their sum."""


def self_attention(x, keep, itself=True):
    scores = torch.einsum("bid,bjd->bij", x, x)
    allowed = keep[:, None, :] & (itself | ~torch.eye(x.shape[1], dtype=torch.bool))
    powers = torch.where(allowed, scores - scores.amax(dim=2, keepdim=True).detach(), 0.0).exp() * allowed
    total = powers.sum(dim=2, keepdim=True)
    weights = powers / torch.where(total > 0, total, 1.0)
    return torch.einsum("bij,bjd->bid", weights, x), weights
