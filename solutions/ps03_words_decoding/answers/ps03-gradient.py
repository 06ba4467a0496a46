# %% right: loops
# Written pair by pair and word by word.


def negative_gradients(v, U, targets, negatives):
    dv, dU = np.zeros_like(v), np.zeros_like(U)
    for b, target in enumerate(targets):
        for word, wanted in [(target, 1.0), *((n, 0.0) for n in negatives[b] if n != target)]:
            slope = (0.5 + 0.5 * np.tanh(U[word] @ v[b] / 2) - wanted) / len(v)
            dv[b] += slope * U[word]
            dU[word] += slope * v[b]
    return dv, dU


# %% right: one hot
# Written with one matrix of slopes for the whole vocabulary.


def negative_gradients(v, U, targets, negatives):
    words = np.arange(len(U))
    is_target = targets[:, None] == words
    drawn = (negatives[:, :, None] == words).sum(axis=1) * ~is_target
    sigma = 1 / (1 + np.exp(-v @ U.T))
    slope = (is_target * (sigma - 1) + drawn * sigma) / len(v)
    return slope @ U, slope.T @ v


# %% wrong: autograd
# The gradients are torch's.
# Message: your answer calls torch's backward


def negative_gradients(v, U, targets, negatives):
    v, U = torch.tensor(v, requires_grad=True), torch.tensor(U, requires_grad=True)
    asked = torch.from_numpy(np.column_stack([targets, negatives]))
    scores = (U[asked] * v.unsqueeze(1)).sum(dim=2)
    signs = torch.cat([torch.ones_like(scores[:, :1]), -torch.ones_like(scores[:, 1:])], dim=1)
    terms = -torch.nn.functional.logsigmoid(signs * scores)
    counts = torch.cat([torch.ones_like(asked[:, :1]), asked[:, 1:] != asked[:, :1]], dim=1)
    (terms * counts).sum(dim=1).mean().backward()
    return v.grad.numpy(), U.grad.numpy()


# %% wrong: drawn twice once
# A word that is drawn twice is pushed once.
# Message: A word that comes up several times gets the sum


def negative_gradients(v, U, targets, negatives):
    dv, dU = np.zeros_like(v), np.zeros_like(U)
    for b, target in enumerate(targets):
        for word in {int(target), *negatives[b].tolist()}:
            slope = (1 / (1 + np.exp(-U[word] @ v[b])) - (word == target)) / len(v)
            dv[b] += slope * U[word]
            dU[word] += slope * v[b]
    return dv, dU


# %% wrong: dv from v
# dv is built from the centres.
# Message: dv is built of the vectors of the guessed words, dU of the centres


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= len(v)
    dv = slope.sum(axis=1, keepdims=True) * v
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU


# %% wrong: mean over negatives
# The negatives are averaged.
# Message: The terms of the negatives are added, not averaged over K


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope[:, 1:] /= negatives.shape[1]
    slope /= len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU


# %% wrong: negatives pulled
# The negatives have the slope σ − 1.
# Message: A negative's slope is σ, not σ − 1: it should be pushed away


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU


# %% wrong: no minus one
# The true word is pushed away, too.
# Message: The true word's slope is σ − 1, not σ: it should be pulled


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU


# %% wrong: one minus sigma
# A negative's slope is 1 − σ.
# Message: A negative's slope is σ(u · v): the more similar it is, the harder it is pushed. Yours is 1 − σ


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope = 1 - slope
    slope[:, 0] *= -1
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU


# %% wrong: only target in dv
# Only the true word acts on the centre.
# Message: The negatives act on the centre, too: dv has a term for each


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= len(v)
    dv = slope[:, :1] * U[targets]
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU


# %% wrong: repeats lost
# dU[words] += … keeps one of several contributions.
# Message: A word that comes up several times gets the sum: with repeated indices `dU[words] += …` keeps


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    dU[asked] += slope[:, :, None] * v[:, None, :]
    return dv, dU


# %% wrong: sigma prime
# The derivative of the sigmoid is a factor.
# Message: The derivative of −ln σ(a) is σ(a) − 1: the logarithm takes away the factor σ (1 − σ)


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope *= 1 / (1 + np.exp(-scores)) * (1 - 1 / (1 + np.exp(-scores)))
    slope /= len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU


# %% wrong: stops at true word
# Behind a negative that is the true word nothing is pushed any more.
# Message: A negative that is the true word is left out; those behind it count: continue, not break


def negative_gradients(v, U, targets, negatives):
    dv, dU = np.zeros_like(v), np.zeros_like(U)
    for b, target in enumerate(targets):
        for k, word in enumerate([target, *negatives[b]]):
            if k > 0 and word == target:
                break
            slope = (1 / (1 + np.exp(-U[word] @ v[b])) - (k == 0)) / len(v)
            dv[b] += slope * U[word]
            dU[word] += slope * v[b]
    return dv, dU


# %% wrong: sum over batch
# The gradient of the sum is returned.
# Message: The loss is the mean over the batch: divide by the number of pairs


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU


# %% wrong: swapped
# The results are (dU, dv).
# Message: The result is (dv, dU), in this order


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dU, dv


# %% wrong: true word pushed
# A negative that is the true word is pushed away.
# Message: A negative that is the true word has no term in the loss, so it has no gradient either


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope /= len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU


# %% wrong: updates U
# The caller's U is trained while the gradients are computed.
# Message: your function changed the caller's U


def negative_gradients(v, U, targets, negatives):
    dv, before = np.zeros_like(v), U.copy()
    for b, target in enumerate(targets):
        for word, wanted in [(target, 1.0), *((n, 0.0) for n in negatives[b] if n != target)]:
            slope = (1 / (1 + np.exp(-before[word] @ v[b])) - wanted) / len(v)
            dv[b] += slope * before[word]
            U[word] -= slope * v[b]
    return dv, before - U


# %% wrong: uphill
# The gradient has the wrong sign.
# Message: The sign is turned round: the gradient of the loss points uphill. For the true word it is (σ −


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= -len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU
