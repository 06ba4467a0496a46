"""torch's GRU cell does the work, for one sentence at a time: its second bias is added to U h, as C c is.

Message: your answer calls torch's gru_cell
"""


def cho_step(e, h, c, W, U, C):
    order = [1, 0, 2]  # torch has the reset gate first
    inputs, states = W[order].flatten(0, 1), U[order].flatten(0, 1)
    rows = []
    for i in range(len(e)):
        summary = (C[order] @ c[i]).flatten()
        rows.append(torch.gru_cell(e[i : i + 1], h[i : i + 1], inputs, states, 0 * summary, summary))
    return torch.cat(rows)
