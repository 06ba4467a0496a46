"""Written with a case of its own for the limit, and the largest logit taken off by hand."""


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError("the temperature is negative")
    below = logits - logits.max(dim=-1, keepdim=True).values
    if temperature == 0:
        best = (below == 0).to(logits.dtype)
        return best / best.sum(dim=-1, keepdim=True)
    weights = torch.exp(below / temperature)
    return weights / weights.sum(dim=-1, keepdim=True)
