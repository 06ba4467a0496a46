# %% right: einsum
# Written with einsum on weights that have an axis for the gate, brought into one order first.


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


# %% right: per gate
# Written with matrices of its own for each gate, as on the second slide.


def lstm_step(x, h, c, W, b, order):
    if len(order) != 4 or set(order) != {"i", "f", "o", "g"}:
        raise ValueError("the order should hold i, f, o, g")
    size = h.shape[1]
    a = {}
    for letter in "ifog":
        k = order.index(letter) * size
        W_h, W_x = W[k : k + size, :size], W[k : k + size, size:]
        a[letter] = h @ W_h.T + x @ W_x.T + b[k : k + size]
    i, f, o = (a[letter].sigmoid() for letter in "ifo")
    c = f * c + i * a["g"].tanh()
    return o * c.tanh(), c


# %% wrong: any order
# An order with a letter twice is let through: only the set of letters is looked at.
# Message: should end in a ValueError that you raise


def lstm_step(x, h, c, W, b, order):
    if set(order) != set("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=False))
    c = a["f"].sigmoid() * c + a["i"].sigmoid() * a["g"].tanh()
    return a["o"].sigmoid() * c.tanh(), c


# %% wrong: cell first
# Cell and state come back the wrong way round.
# Message: The result is (h, c), in this order


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=True))
    c = a["f"].sigmoid() * c + a["i"].sigmoid() * a["g"].tanh()
    return c, a["o"].sigmoid() * c.tanh()


# %% wrong: coupled
# The gates are coupled: it writes where it forgets.
# Message: The input gate i is not 1 − f


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=True))
    f = a["f"].sigmoid()
    c = f * c + (1 - f) * a["g"].tanh()
    return a["o"].sigmoid() * c.tanh(), c


# %% wrong: detached
# The cell's history is cut in the step.
# Message: no gradient reaches c


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    h, c = h.detach(), c.detach()
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=True))
    c = a["f"].sigmoid() * c + a["i"].sigmoid() * a["g"].tanh()
    return (a["o"].sigmoid() * c.tanh()).requires_grad_(), c


# %% wrong: forget turned round
# A forget gate of 1 forgets, as its name suggests.
# Message: The forget gate is the wrong way round


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=True))
    c = (1 - a["f"].sigmoid()) * c + a["i"].sigmoid() * a["g"].tanh()
    return a["o"].sigmoid() * c.tanh(), c


# %% wrong: in place
# The caller's cell is changed.
# Message: your function changed the caller's c


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=True))
    with torch.no_grad():
        c *= a["f"].sigmoid()
        c += a["i"].sigmoid() * a["g"].tanh()
    return a["o"].sigmoid() * c.tanh(), c.clone()


# %% wrong: library
# The library's layer takes the step.
# Message: your answer calls course_lib.recurrent.


from course_lib.recurrent.lstm import LSTM


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(f"order is {order!r}; allowed are the letters i, f, o, g, each once")
    blocks = dict(zip(order, torch.cat([W, b.unsqueeze(1)], dim=1).chunk(4), strict=True))
    whole, size = torch.cat([blocks[letter] for letter in "ifog"]), h.shape[1]
    layer = LSTM(x.shape[1], size)
    layer.W_h.weight.data, layer.W_x.weight.data = whole[:, :size], whole[:, size:-1]
    layer.W_x.bias.data = whole[:, -1]
    return layer.step(layer.project(x), (h, c))


# %% wrong: no bias
# The bias is forgotten.
# Message: The bias b is missing


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T).chunk(4, dim=1), strict=True))
    c = a["f"].sigmoid() * c + a["i"].sigmoid() * a["g"].tanh()
    return a["o"].sigmoid() * c.tanh(), c


# %% wrong: no last tanh
# The output gate acts on the cell itself.
# Message: The tanh of the new cell is missing


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=True))
    c = a["f"].sigmoid() * c + a["i"].sigmoid() * a["g"].tanh()
    return a["o"].sigmoid() * c, c


# %% wrong: old cell shown
# The output shows the cell before the step.
# Message: h shows the new cell


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1), strict=True))
    return a["o"].sigmoid() * c.tanh(), a["f"].sigmoid() * c + a["i"].sigmoid() * a["g"].tanh()


# %% wrong: sigmoid candidate
# All four parts go through a sigmoid.
# Message: The candidate g has a tanh, not a sigmoid


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([h, x], dim=1) @ W.T + b).sigmoid().chunk(4, dim=1), strict=True))
    c = a["f"] * c + a["i"] * a["g"]
    return a["o"] * c.tanh(), c


# %% wrong: slides order
# The order of the slides is taken, whatever `order` says.
# Message: you read them as i, f, o, g


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    i, f, o, g = (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


# %% wrong: torch
# torch's LSTM cell takes the step.
# Message: your answer calls torch's lstm_cell


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(f"order is {order!r}; allowed are the letters i, f, o, g, each once")
    blocks = dict(zip(order, torch.cat([W, b.unsqueeze(1)], dim=1).chunk(4), strict=True))
    whole, size = torch.cat([blocks[letter] for letter in "ifgo"]), h.shape[1]
    bias = whole[:, -1]
    return torch.lstm_cell(x, (h, c), whole[:, size:-1], whole[:, :size], bias, torch.zeros_like(bias))


# %% wrong: torch order
# torch's order is taken, whatever `order` says.
# Message: you read them as torch's i, f, g, o


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    i, f, g, o = (torch.cat([h, x], dim=1) @ W.T + b).chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


# %% wrong: x first
# Input and state are joined the other way round.
# Message: its first columns belong to h


def lstm_step(x, h, c, W, b, order):
    if sorted(order) != sorted("ifog"):
        raise ValueError(order)
    a = dict(zip(order, (torch.cat([x, h], dim=1) @ W.T + b).chunk(4, dim=1), strict=True))
    c = a["f"].sigmoid() * c + a["i"].sigmoid() * a["g"].tanh()
    return a["o"].sigmoid() * c.tanh(), c
