"""Written with loops: one sentence at a time, matrix times vector, as in the equations."""


def cho_step(e, h, c, W, U, C):
    result = []
    for word, state, summary in zip(e, h, c, strict=True):
        z = torch.sigmoid(W[0] @ word + U[0] @ state + C[0] @ summary)
        r = torch.sigmoid(W[1] @ word + U[1] @ state + C[1] @ summary)
        candidate = torch.tanh(W[2] @ word + r * (U[2] @ state + C[2] @ summary))
        result.append(candidate + z * (state - candidate))
    return torch.stack(result)
