"""Written by moving each number in place and putting the old one back."""


def numerical_gradient(loss, w, epsilon=1e-5):
    gradient = torch.empty_like(w)
    for place in np.ndindex(tuple(w.shape)):
        old, values = w[place].clone(), []
        for side in (1, -1):
            w[place] = old + side * epsilon
            values.append(float(loss(w)))
        w[place] = old
        gradient[place] = (values[0] - values[1]) / (2 * epsilon)
    return gradient
