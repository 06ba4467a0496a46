# %% right: ignore index
# Written with torch's ignore_index: the targets behind the end are marked.


def many_to_many_loss(logits, targets, lengths):
    behind = torch.arange(targets.shape[1]) >= lengths.unsqueeze(1)
    return torch.nn.functional.cross_entropy(
        logits.masked_fill(behind.unsqueeze(2), 0).transpose(1, 2),
        targets.masked_fill(behind, -100),
        ignore_index=-100,
    )


# %% right: loop
# Written with a loop over the sequences.


def many_to_many_loss(logits, targets, lengths):
    total = 0.0
    for rows, rights, n in zip(logits, targets, lengths.tolist(), strict=True):
        total = total + torch.nn.functional.cross_entropy(rows[:n], rights[:n], reduction="sum")
    return total / lengths.sum()


# %% wrong: class zero is padding
# Padding is recognised by a target of 0, not by the lengths.
# Message: Class 0 is a class like any other


def many_to_many_loss(logits, targets, lengths):
    keep = torch.arange(targets.shape[1]) < lengths.unsqueeze(1)
    targets = targets.where(keep, 0)
    return torch.nn.functional.cross_entropy(logits.transpose(1, 2), targets, ignore_index=0)


# %% wrong: divided by all
# The losses of the real steps are divided by the number of all steps.
# Message: divide by the number of real ones


def many_to_many_loss(logits, targets, lengths):
    keep = torch.arange(targets.shape[1]) < lengths.unsqueeze(1)
    return torch.nn.functional.cross_entropy(logits[keep], targets[keep], reduction="sum") / keep.numel()


# %% wrong: last only
# Only the last real step counts.
# Message: here every real step does


def many_to_many_loss(logits, targets, lengths):
    rows = torch.arange(len(lengths))
    return torch.nn.functional.cross_entropy(logits[rows, lengths - 1], targets[rows, lengths - 1])


# %% wrong: library
# The library's loss is asked.
# Message: your answer calls course_lib.recurrent.problems.step_loss


from course_lib.recurrent.problems import step_loss


def many_to_many_loss(logits, targets, lengths):
    return step_loss(logits, targets, lengths)


# %% wrong: mean of means
# Each sequence is averaged first.
# Message: yours averages in each sequence first


def many_to_many_loss(logits, targets, lengths):
    losses = [
        torch.nn.functional.cross_entropy(logits[i, :n], targets[i, :n])
        for i, n in enumerate(lengths.tolist())
    ]
    return torch.stack(losses).mean()


# %% wrong: multiplied by mask
# The losses of the padding are computed, then multiplied by 0.
# Message: Pick the real steps before you compute


def many_to_many_loss(logits, targets, lengths):
    keep = torch.arange(targets.shape[1]) < lengths.unsqueeze(1)
    losses = -logits.log_softmax(dim=-1).gather(2, targets.clamp(min=0).unsqueeze(2)).squeeze(2)
    return (losses * keep).sum() / keep.sum()


# %% wrong: one step short
# The last real step is left out.
# Message: A step is missing


def many_to_many_loss(logits, targets, lengths):
    keep = torch.arange(targets.shape[1]) < lengths.unsqueeze(1) - 1
    return torch.nn.functional.cross_entropy(logits[keep], targets[keep])


# %% wrong: padding counts
# Padding is treated like any step.
# Message: Padding counts


def many_to_many_loss(logits, targets, lengths):
    return torch.nn.functional.cross_entropy(logits.transpose(1, 2), targets)
