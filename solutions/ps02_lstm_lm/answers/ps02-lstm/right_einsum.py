"""Written with einsum on weights that have an axis for the gate, brought into one order first."""


def lstm_step(x, h, c, W, b, order):
    where = {letter: k for k, letter in enumerate(order)}
    if len(order) != 4 or set(where) != set("fiog"):
        raise ValueError(f"{order} is no order of f, i, o, g")
    choice = [where[letter] for letter in "fiog"]
    size = h.shape[1]
    weights, bias = W.unflatten(0, (4, size))[choice], b.unflatten(0, (4, size))[choice]
    a = torch.einsum("ghk,bk->gbh", weights, torch.hstack([h, x])) + bias.unsqueeze(1)
    f, i, o = 1 / (1 + torch.exp(-a[:3]))
    memory = f * c + i * torch.tanh(a[3])
    return o * torch.tanh(memory), memory
