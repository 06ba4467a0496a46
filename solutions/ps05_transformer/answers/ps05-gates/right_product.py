"""Written with the gates already found: what is left is the product of all later 1 - u."""


def gates_from_weights(weights):
    gates = torch.zeros_like(weights)
    rest = torch.ones_like(weights[..., 0])
    for t in range(weights.shape[-1] - 1, -1, -1):
        some = rest > 1e-12
        gates[..., t] = torch.where(some, weights[..., t] / rest.where(some, 1.0), 0.0).clamp(0, 1)
        rest = rest * (1 - gates[..., t])
    return gates
