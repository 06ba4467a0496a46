"""Written row by row with Python's numbers."""


def at_temperature(logits, temperature):
    if not temperature >= 0:
        raise ValueError(temperature)
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]).tolist():
        top = max(row)
        weights = [
            1.0 if number == top else math.exp((number - top) / temperature) if temperature else 0.0
            for number in row
        ]
        rows.append([weight / sum(weights) for weight in weights])
    return torch.tensor(rows, dtype=logits.dtype).reshape(logits.shape)
