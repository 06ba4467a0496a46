"""Written by setting logits to −∞ and taking the softmax anew."""


def next_distribution(logits, temperature, top_k, top_p):
    s = (logits - logits.amax(dim=-1, keepdim=True)).double() / temperature
    order = s.argsort(dim=-1, descending=True)
    s = s.gather(-1, order)
    if top_k is not None and top_k < s.shape[-1]:
        s = s.masked_fill(s < s[..., top_k - 1 : top_k], -torch.inf)
    if top_p is not None and top_p < 1:
        p = s.softmax(dim=-1)
        count = (p.cumsum(dim=-1) - p < top_p).sum(dim=-1, keepdim=True)
        s = s.masked_fill(s < s.gather(-1, count - 1), -torch.inf)
    p = s.softmax(dim=-1).to(logits.dtype)
    return torch.zeros_like(p).scatter(-1, order, p)
