# %% right: loops
# Written backwards through the steps, for one run at a time.


def surrogate(losses, log_chances, baselines):
    total = 0
    for costs, chances, expected in zip(losses, log_chances, baselines.detach(), strict=True):
        to_go = 0.0
        for t in reversed(range(len(costs))):
            to_go = to_go + costs[t].detach()
            total = total + costs[t] + (to_go - expected[t]) * chances[t]
    return total / len(losses)


# %% right: what is left
# The cost to go is the whole cost without what was paid before.


def surrogate(losses, log_chances, baselines):
    with torch.no_grad():
        paid = losses.cumsum(dim=1) - losses
        weight = losses.sum(dim=1, keepdim=True) - paid - baselines
    return losses.sum(dim=1).mean() + torch.einsum("nt,nt->", weight, log_chances) / len(losses)


# %% wrong: sum over runs
# The runs are added up.
# Message: This is the sum over the runs; take their mean.


def surrogate(losses, log_chances, baselines):
    to_go = losses.flip(1).cumsum(dim=1).flip(1)
    return (losses + (to_go - baselines).detach() * log_chances).sum()


# %% wrong: mean over steps
# The mean of all steps of all runs.
# Message: Sum over the steps


def surrogate(losses, log_chances, baselines):
    to_go = losses.flip(1).cumsum(dim=1).flip(1)
    return (losses + (to_go - baselines).detach() * log_chances).mean()


# %% wrong: baseline added
# The baseline is added to the cost.
# Message: The baseline is taken off, not added.


def surrogate(losses, log_chances, baselines):
    to_go = losses.flip(1).cumsum(dim=1).flip(1)
    return (losses + (to_go + baselines).detach() * log_chances).sum(dim=1).mean()


# %% wrong: no baseline
# The baseline is left out.
# Message: The baseline has no influence.


def surrogate(losses, log_chances, baselines):
    to_go = losses.flip(1).cumsum(dim=1).flip(1)
    return (losses + to_go.detach() * log_chances).sum(dim=1).mean()


# %% wrong: bracket turned round
# The baseline less the cost.
# Message: The bracket is C − b; yours is turned round.


def surrogate(losses, log_chances, baselines):
    to_go = losses.flip(1).cumsum(dim=1).flip(1)
    return (losses + (baselines - to_go).detach() * log_chances).sum(dim=1).mean()


# %% wrong: baseline with a gradient
# Only the cost to go is cut out of the graph.
# Message: No gradient of S may reach the baseline


def surrogate(losses, log_chances, baselines):
    to_go = losses.flip(1).cumsum(dim=1).flip(1)
    return (losses + (to_go.detach() - baselines) * log_chances).sum(dim=1).mean()


# %% wrong: cost with a gradient
# Only the baseline is cut out of the graph.
# Message: A gradient went through C − b into the losses


def surrogate(losses, log_chances, baselines):
    to_go = losses.flip(1).cumsum(dim=1).flip(1)
    return (losses + (to_go - baselines.detach()) * log_chances).sum(dim=1).mean()


# %% wrong: own step alone
# Each draw is charged for its own step.
# Message: not for its own step alone


def surrogate(losses, log_chances, baselines):
    return (losses + (losses - baselines).detach() * log_chances).sum(dim=1).mean()


# %% wrong: cost so far
# Each draw is charged for what was paid up to it.
# Message: not for what came before


def surrogate(losses, log_chances, baselines):
    return (losses + (losses.cumsum(dim=1) - baselines).detach() * log_chances).sum(dim=1).mean()


# %% wrong: whole cost
# Each draw is charged for the whole run.
# Message: A draw is charged for nothing that came before it.


def surrogate(losses, log_chances, baselines):
    weight = (losses.sum(dim=1, keepdim=True) - baselines).detach()
    return (losses + weight * log_chances).sum(dim=1).mean()


# %% wrong: losses left out
# Only the draws learn.
# Message: The losses themselves are missing


def surrogate(losses, log_chances, baselines):
    to_go = losses.flip(1).cumsum(dim=1).flip(1)
    return ((to_go - baselines).detach() * log_chances).sum(dim=1).mean()


# %% wrong: losses cut
# The losses are cut out of the graph with the rest.
# Message: no gradient reaches losses.


def surrogate(losses, log_chances, baselines):
    losses, baselines = losses.detach(), baselines.detach()
    to_go = losses.flip(1).cumsum(dim=1).flip(1)
    return (losses + (to_go - baselines) * log_chances).sum(dim=1).mean()


# %% wrong: library
# Calls the course's own surrogate.
# Message: your answer calls course_lib.attention


def surrogate(losses, log_chances, baselines):
    from course_lib.attention.hard import sequence_surrogate

    return sequence_surrogate(losses, log_chances, baselines)
