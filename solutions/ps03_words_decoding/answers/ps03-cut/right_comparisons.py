"""Written by comparing every two tokens."""


def next_distribution(logits, temperature, top_k, top_p):
    p = ((logits - logits.max(dim=-1, keepdim=True).values) / temperature).softmax(dim=-1)
    larger = p.unsqueeze(-2) > p.unsqueeze(-1)
    if top_k is not None:
        p = torch.where(larger.sum(dim=-1) < top_k, p, torch.zeros_like(p))
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None and top_p != 1:
        ahead = (p.unsqueeze(-2) * larger).sum(dim=-1)
        p = torch.where(ahead < top_p, p, torch.zeros_like(p))
        p = p / p.sum(dim=-1, keepdim=True)
    return p
