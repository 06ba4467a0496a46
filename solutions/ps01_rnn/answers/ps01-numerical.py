# %% right: flat
# Written with the rows of a diagonal matrix as steps.


def numerical_gradient(loss, w, epsilon=1e-5):
    steps = epsilon * torch.eye(w.numel(), dtype=w.dtype)
    slopes = [
        (float(loss(w + step.reshape(w.shape))) - float(loss(w - step.reshape(w.shape)))) / epsilon / 2
        for step in steps
    ]
    return torch.tensor(slopes, dtype=w.dtype).reshape(w.shape)


# %% right: in place with care
# Written by moving each number in place and putting the old one back.


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


# %% wrong: all together
# All numbers move at once.
# Message: Move one number at a time


def numerical_gradient(loss, w, epsilon=1e-5):
    return torch.full_like(w, float(loss(w + epsilon) - loss(w - epsilon)) / (2 * epsilon))


# %% wrong: autograd
# Autograd is asked.
# Message: A loss may return a float


def numerical_gradient(loss, w, epsilon=1e-5):
    leaf = w.clone().requires_grad_()
    loss(leaf).backward()
    return leaf.grad


# %% wrong: divided by epsilon
# The distance between both sides is taken to be ε.
# Message: From w − ε to w + ε it is 2 ε


def numerical_gradient(loss, w, epsilon=1e-5):
    gradient = torch.zeros_like(w)
    for place in np.ndindex(*w.shape):
        step = torch.zeros_like(w)
        step[place] = epsilon
        gradient[place] = float(loss(w + step) - loss(w - step)) / epsilon
    return gradient


# %% wrong: flattened
# The tensor is flattened by view, and the copy of a turned one gets lost.
# Message: index by row and column


def numerical_gradient(loss, w, epsilon=1e-5):
    moved = w.clone(memory_format=torch.preserve_format)
    gradient = torch.zeros(w.numel(), dtype=w.dtype)
    for i in range(w.numel()):
        values = []
        for side in (1, -1):
            moved.copy_(w)
            moved.view(-1)[i] += side * epsilon
            values.append(float(loss(moved)))
        gradient[i] = (values[0] - values[1]) / (2 * epsilon)
    return gradient.view(w.shape)


# %% wrong: not put back
# A number is not put back before the next one moves.
# Message: was not put back before the second one moved


def numerical_gradient(loss, w, epsilon=1e-5):
    w, gradient = w.clone(), torch.zeros_like(w)
    for place in np.ndindex(*w.shape):
        w[place] += epsilon
        above = float(loss(w))
        w[place] -= 2 * epsilon
        gradient[place] = (above - float(loss(w))) / (2 * epsilon)
    return gradient


# %% wrong: one side
# Differences to one side.
# Message: Those are differences to one side


def numerical_gradient(loss, w, epsilon=1e-5):
    gradient = torch.zeros_like(w)
    for place in np.ndindex(*w.shape):
        step = torch.zeros_like(w)
        step[place] = epsilon
        gradient[place] = float(loss(w + step) - loss(w)) / epsilon
    return gradient


# %% wrong: own epsilon
# The ε of the function is its own.
# Message: The ε that you use is the argument


def numerical_gradient(loss, w, epsilon=1e-5):
    epsilon = 1e-5
    gradient = torch.zeros_like(w)
    for place in np.ndindex(*w.shape):
        step = torch.zeros_like(w)
        step[place] = epsilon
        gradient[place] = float(loss(w + step) - loss(w - step)) / (2 * epsilon)
    return gradient


# %% wrong: rounding left
# Each number is moved forth and back, which leaves a rounding error.
# Message: changed the caller's w


def numerical_gradient(loss, w, epsilon=1e-5):
    gradient = torch.zeros_like(w)
    for place in np.ndindex(*w.shape):
        w[place] += epsilon
        above = float(loss(w))
        w[place] -= 2 * epsilon
        gradient[place] = (above - float(loss(w))) / (2 * epsilon)
        w[place] += epsilon
    return gradient


# %% wrong: scipy
# scipy's forward differences are asked.
# Message: your answer calls scipy.optimize


def numerical_gradient(loss, w, epsilon=1e-5):
    from scipy.optimize import approx_fprime

    def of_numbers(numbers):
        return float(loss(torch.tensor(numbers, dtype=w.dtype).reshape(w.shape)))

    return torch.tensor(approx_fprime(w.flatten().numpy(), of_numbers, epsilon)).reshape(w.shape)


# %% wrong: torch
# torch's own check of gradients is asked.
# Message: your answer calls torch's get_numerical_jacobian


def numerical_gradient(loss, w, epsilon=1e-5):
    from torch.autograd.gradcheck import get_numerical_jacobian

    leaf = w.clone().requires_grad_()
    [column] = get_numerical_jacobian(lambda x: torch.as_tensor(loss(*x)).reshape(1), (leaf,), eps=epsilon)
    return column.reshape(w.shape)
