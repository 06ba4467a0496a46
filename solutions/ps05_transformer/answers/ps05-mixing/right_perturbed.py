"""Written with one change at a time: only position p may answer to a change of position p."""


def mixes_positions(split, heads):
    x = torch.zeros(2, 4, 3 * heads)
    before = split(x, heads)
    for sentence in range(2):
        for p in range(4):
            changed = x.clone()
            changed[sentence, p] = 1.0
            moved = (split(changed, heads) - before)[sentence]
            if moved[:, :p].any() or moved[:, p + 1 :].any():
                return True
    return False
