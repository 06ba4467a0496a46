"""Written as a loop from the last step back, with what is left in one number a row."""


def gates_from_weights(weights):
    gates, rest = [], torch.ones_like(weights[..., 0])
    for weight in weights.unbind(-1)[::-1]:
        gate = torch.where(rest > 0, weight / rest.clamp(min=1e-30), 0.0).clamp(0, 1)
        gates.append(gate)
        rest = rest - weight
    return torch.stack(gates[::-1], dim=-1)
