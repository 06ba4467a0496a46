"""At 0 one token gets all, though two are equal.

Message: argmax knows only one
"""


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    return ((logits - logits.amax(dim=-1, keepdim=True)) / temperature).softmax(dim=-1)
