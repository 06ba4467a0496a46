"""Written as one matrix [W U] on the concatenation [s; h], summed with einsum."""


def additive_scores(states, h, W, U, v):
    target, source = states.shape[1] - 1, h.shape[1]
    pairs = torch.cat(
        [states[:, :-1, None].repeat(1, 1, source, 1), h[:, None].repeat(1, target, 1, 1)], dim=-1
    )
    return torch.einsum(
        "a,btsa->bts", v, torch.einsum("ax,btsx->btsa", torch.cat([W, U], dim=1), pairs).tanh()
    )
