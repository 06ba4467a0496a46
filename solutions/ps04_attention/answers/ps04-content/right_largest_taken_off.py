"""exp over sum, with the largest score taken off first; lengths by clamping."""


def content_weights(s, h, beta):
    lengths = (s * s).sum(-1).clamp(min=1e-24).sqrt().unsqueeze(2) * (h * h).sum(-1).clamp(
        min=1e-24
    ).sqrt().unsqueeze(1)
    scores = torch.einsum("btd,bsd,bt->bts", s, h, beta) / lengths
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)
