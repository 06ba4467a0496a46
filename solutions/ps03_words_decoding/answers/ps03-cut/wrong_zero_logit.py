"""The cut tokens get the logit 0.

Message: A logit of 0 is no cut: e^0 = 1. Set what is cut to −∞, or its probability to 0
"""


def next_distribution(logits, temperature, top_k, top_p):
    s = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    if top_k is not None:
        s = s.where(s >= s.topk(min(top_k, s.shape[-1]), dim=-1).values[..., -1:], 0)
    if top_p is not None and top_p < 1:
        p = s.softmax(dim=-1)
        ordered = p.sort(dim=-1, descending=True).values
        inside = ordered.cumsum(dim=-1) - ordered < top_p
        s = s.where(p >= ordered.where(inside, 1).amin(dim=-1, keepdim=True), 0)
    return s.softmax(dim=-1)
