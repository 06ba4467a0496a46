# %% right: logsumexp
# Written with logsumexp, and the last step picked by gather.


def many_to_one_loss(logits, targets, lengths):
    place = (lengths - 1).reshape(-1, 1, 1).expand(-1, 1, logits.shape[2])
    last = logits.gather(1, place).squeeze(1)
    return torch.mean(last.logsumexp(dim=1) - last[range(len(targets)), targets])


# %% right: loop
# Written with a loop over the sequences and torch's cross-entropy.


def many_to_one_loss(logits, targets, lengths):
    last = torch.stack([rows[n - 1] for rows, n in zip(logits, lengths.tolist(), strict=True)])
    return torch.nn.functional.cross_entropy(last, targets)


# %% wrong: all steps
# Every real step answers.
# Message: yours averages over all its steps


def many_to_one_loss(logits, targets, lengths):
    log_p = logits.log_softmax(dim=-1)
    losses = [-log_p[i, :n, targets[i]].mean() for i, n in enumerate(lengths.tolist())]
    return torch.stack(losses).mean()


# %% wrong: last column
# The last column is taken, padding or not.
# Message: You took the last column


def many_to_one_loss(logits, targets, lengths):
    return torch.nn.functional.cross_entropy(logits[:, -1], targets)


# %% wrong: library
# The library's loss of the real steps is asked, with one step left.
# Message: your answer calls course_lib.recurrent.problems.step_loss


def many_to_one_loss(logits, targets, lengths):
    from course_lib.recurrent.problems import step_loss

    last = logits[torch.arange(len(lengths)), lengths - 1].unsqueeze(1)
    return step_loss(last, targets.unsqueeze(1), torch.ones_like(lengths))


# %% wrong: log of softmax
# The logarithm is taken of a rounded softmax.
# Message: take log_softmax, not the log of softmax


def many_to_one_loss(logits, targets, lengths):
    last = logits[torch.arange(len(lengths)), lengths - 1]
    return -last.softmax(dim=-1).log().gather(1, targets.unsqueeze(1)).mean()


# %% wrong: multiplied by mask
# All other steps are multiplied by 0.
# Message: NaN times 0 is NaN


def many_to_one_loss(logits, targets, lengths):
    last = torch.arange(logits.shape[1]) == lengths.unsqueeze(1) - 1
    return torch.nn.functional.cross_entropy((logits * last.unsqueeze(2)).sum(dim=1), targets)


# %% wrong: no softmax
# The logits are taken for log-probabilities.
# Message: The softmax is missing


def many_to_one_loss(logits, targets, lengths):
    last = logits[torch.arange(len(lengths)), lengths - 1]
    return -last.gather(1, targets.unsqueeze(1)).mean()


# %% wrong: off by one
# The step after the last real one is taken.
# Message: has number n − 1 when you count from 0


def many_to_one_loss(logits, targets, lengths):
    last = logits[torch.arange(len(lengths)), lengths]
    return torch.nn.functional.cross_entropy(last, targets)


# %% wrong: sign
# The mean log-probability is returned, without the minus.
# Message: a loss is −log p


def many_to_one_loss(logits, targets, lengths):
    last = logits[torch.arange(len(lengths)), lengths - 1]
    return last.log_softmax(dim=-1).gather(1, targets.unsqueeze(1)).mean()


# %% wrong: sum
# The losses are summed.
# Message: yours is the sum


def many_to_one_loss(logits, targets, lengths):
    last = logits[torch.arange(len(lengths)), lengths - 1]
    return torch.nn.functional.cross_entropy(last, targets, reduction="sum")
