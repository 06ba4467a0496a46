"""Written with matrices of its own for each gate, as on the second slide."""


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
