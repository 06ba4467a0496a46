# %% right: loops
# Written pair by pair and word by word.


def negative_loss(v, U, targets, negatives):
    total = 0.0
    for centre, target, drawn in zip(v, targets, negatives, strict=True):
        total += np.logaddexp(0.0, -(U[target] @ centre))
        for word in drawn:
            if word != target:
                total += np.logaddexp(0.0, U[word] @ centre)
    return total / len(v)


# %% right: torch
# Written with torch's logsigmoid and signs.


def negative_loss(v, U, targets, negatives):
    words = torch.from_numpy(np.column_stack([targets, negatives]))
    scores = (torch.from_numpy(U)[words] * torch.from_numpy(v).unsqueeze(1)).sum(dim=2)
    signs = -torch.ones_like(scores)
    signs[:, 0] = 1
    terms = torch.nn.functional.logsigmoid(signs * scores)
    terms[:, 1:][words[:, 1:] == words[:, :1]] = 0
    return -terms.sum().item() / len(v)


# %% wrong: clipped
# The scores are clipped at ±6, as some programs do.
# Message: The sigmoid of a large score is exactly 0 or 1 for the computer


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v).clip(-6, 6)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v).clip(-6, 6)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).sum(axis=1)
    return float(loss.mean())


# %% wrong: drawn twice once
# A word that is drawn twice counts once.
# Message: A word that is drawn twice counts twice


def negative_loss(v, U, targets, negatives):
    total = 0.0
    for centre, target, drawn in zip(v, targets, negatives, strict=True):
        total += np.logaddexp(0.0, -(U[target] @ centre))
        for word in {*drawn.tolist()} - {int(target)}:
            total += np.logaddexp(0.0, U[word] @ centre)
    return total / len(v)


# %% wrong: library
# The library's model computes the loss.
# Message: your answer calls course_lib.words.word2vec.Word2Vec


from course_lib.words.word2vec import Word2Vec


def negative_loss(v, U, targets, negatives):
    model = Word2Vec(*U.shape)
    model.inputs = torch.nn.Embedding.from_pretrained(torch.tensor(v))
    model.outputs = torch.nn.Embedding.from_pretrained(torch.tensor(U))
    row = torch.arange(len(v)).unsqueeze(1)
    return float(model.negative_loss(row, row >= 0, torch.tensor(targets), torch.tensor(negatives)))


# %% wrong: mean over all
# Everything is divided by the number of all terms.
# Message: Divide by the number of pairs, not by the number of all terms


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).sum(axis=1)
    return float(loss.sum() / (len(v) + negatives.size))


# %% wrong: mean over counted
# The negatives that count are averaged.
# Message: The terms of the negatives are added, not averaged over those that count


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).sum(axis=1) / counts.sum(axis=1)
    return float(loss.mean())


# %% wrong: mean over negatives
# The negatives of a pair are averaged.
# Message: The terms of the negatives are added, not averaged over K


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).mean(axis=1)
    return float(loss.mean())


# %% wrong: negated
# The log-likelihood is returned.
# Message: That is the log-likelihood, negative. A loss is its negative, above 0


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).sum(axis=1)
    return -float(loss.mean())


# %% wrong: no logarithm
# The sigmoids themselves are added.
# Message: The loss adds −ln σ, not 1 − σ


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = (1 - 1 / (1 + np.exp(-right))) + (counts * (1 / (1 + np.exp(-wrong)))).sum(axis=1)
    return float(loss.mean())


# %% wrong: no minus
# The negatives are pulled as the true word is.
# Message: The sigmoid of a negative has a minus inside: −ln σ(−u · v). Yours pulls negatives closer


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, -wrong)).sum(axis=1)
    return float(loss.mean())


# %% wrong: only true
# The negatives are left out.
# Message: The negatives have no influence


def negative_loss(v, U, targets, negatives):
    return float(np.logaddexp(0, -np.einsum("bd,bd->b", U[targets], v)).mean())


# %% wrong: overflow
# The sigmoid is computed first, then its logarithm.
# Message: The sigmoid of a large score is exactly 0 or 1 for the computer


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = -np.log(1 / (1 + np.exp(-right))) + (counts * -np.log(1 - 1 / (1 + np.exp(-wrong)))).sum(axis=1)
    return float(loss.mean())


# %% wrong: pairs mixed
# All centres meet all negatives.
# Message: Each centre meets its own negatives; a product of all centres with all negatives mixes the


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = U[negatives] @ v.T
    counts = (negatives != targets[:, None])[:, :, None]
    return float((np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).sum(axis=(1, 2))).mean())


# %% wrong: softmax
# A softmax over the true word and its negatives.
# Message: That is a softmax among the words; negative sampling asks a yes-no question of each


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    wrong = np.where(negatives != targets[:, None], wrong, -np.inf)
    return float((np.logaddexp(right, np.logaddexp.reduce(wrong, axis=1)) - right).mean())


# %% wrong: sum over batch
# The pairs are added.
# Message: The loss is the mean over the batch, not the sum


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).sum(axis=1)
    return float(loss.sum())


# %% wrong: true minus
# The true word has the minus inside.
# Message: The sigmoid of the true word has no minus inside: −ln σ(u · v)


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, right) + (counts * np.logaddexp(0, wrong)).sum(axis=1)
    return float(loss.mean())


# %% wrong: true word counts
# A negative that is the true word counts as wrong.
# Message: A negative that is the true word does not count; yours is pushed away and pulled at once


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = 1
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).sum(axis=1)
    return float(loss.mean())
