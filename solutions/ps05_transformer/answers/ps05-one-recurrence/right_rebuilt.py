"""Written by running the recurrence with the gates on the diagonal, and comparing all weights."""


def one_recurrence(weights):
    gates = weights.diagonal(dim1=1, dim2=2)
    row, rows = torch.zeros_like(weights[:, 0]), []
    for t in range(weights.shape[1]):
        row = row * (1 - gates[:, t : t + 1])
        row[:, t] = gates[:, t]
        rows.append(row.clone())
    return (torch.stack(rows, dim=1) - weights).abs().amax(dim=(1, 2)) <= 1e-6
