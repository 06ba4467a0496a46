"""The rule for large random matrices is used for any: the radius is about σ √n.

Message: You divided by the width of the weights
"""


def scale_reservoir(W, radius):
    if torch.linalg.eigvals(W).abs().max() == 0:
        raise ValueError("cannot be scaled")
    return W * (radius / (W.std(correction=0) * len(W) ** 0.5))
