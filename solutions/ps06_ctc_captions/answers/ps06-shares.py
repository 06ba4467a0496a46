# %% right: dictionaries
# Written with a dictionary of states a step, forth and back.


def shares(log_probs, y):
    states = [0, *(label for one in y for label in (one, 0))]
    rows, last = log_probs.tolist(), len(states) - 1

    def add(table, key, value):
        table[key] = float(np.logaddexp(table.get(key, -np.inf), value))

    def leads(s):
        return [s, s + 1] + ([s + 2] if s + 2 <= last and states[s + 2] not in (0, states[s]) else [])

    forth = [{s: rows[0][states[s]] for s in range(min(2, last + 1))}]
    for row in rows[1:]:
        table = {}
        for s, value in forth[-1].items():
            for to in leads(s):
                if to <= last:
                    add(table, to, value + row[states[to]])
        forth.append(table)
    back = [{s: 0.0 for s in range(max(0, last - 1), last + 1)}]
    for row in rows[:0:-1]:
        table = {}
        for s in range(last + 1):
            for to in leads(s):
                if to in back[0]:
                    add(table, s, back[0][to] + row[states[to]])
        back.insert(0, table)
    total = -np.inf
    for s in forth[-1]:
        if s >= last - 1:
            total = np.logaddexp(total, forth[-1][s])
    if total == -np.inf:
        raise ValueError("no path")
    gamma = torch.zeros_like(log_probs)
    for t, (ahead, behind) in enumerate(zip(forth, back, strict=True)):
        for s in ahead.keys() & behind.keys():
            gamma[t, states[s]] += np.exp(ahead[s] + behind[s] - total)
    return float(total), gamma


# %% right: gradient
# Written forward only; the shares are the gradient of ln p.


def shares(log_probs, y):
    x = log_probs.clone().requires_grad_()
    states = [0, *(label for one in y for label in (one, 0))]
    minus = torch.tensor(-1e30, dtype=x.dtype)
    said = x.clamp(min=-1e30)[:, states]
    alpha = [said[0, s] if s < 2 else minus for s in range(len(states))]
    for t in range(1, len(x)):
        new = []
        for s, label in enumerate(states):
            ways = alpha[max(0, s - 1) : s + 1]
            if s > 1 and label != 0 and label != states[s - 2]:
                ways = [alpha[s - 2], *ways]
            new.append(torch.logsumexp(torch.stack(ways), 0) + said[t, s])
        alpha = new
    total = torch.logsumexp(torch.stack(alpha[-2:]), 0)
    if total < -1e29:
        raise ValueError("no path")
    (gamma,) = torch.autograd.grad(total, x)
    return total.detach(), gamma


# %% wrong: last label only
# A path may end only in the last label.
# Message: A path may end in the last label or in the last blank: both count.


def shares(log_probs, y):
    states = [0, *(label for one in y for label in (one, 0))]
    said = log_probs[:, states]
    alpha = torch.full_like(said, -torch.inf)
    alpha[0, :2] = said[0, :2]
    for t in range(1, len(said)):
        for s in range(len(states)):
            alpha[t, s] = torch.logsumexp(alpha[t - 1, max(0, s - 1) : s + 1], 0) + said[t, s]
    return alpha[-1, -2], log_probs.exp()


# %% wrong: not a logarithm
# p itself is returned.
# Message: That is p itself; its logarithm is asked for.


def shares(log_probs, y):
    from itertools import groupby, product

    total = 0.0
    for path in product(range(log_probs.shape[1]), repeat=len(log_probs)):
        if [label for label, _ in groupby(path) if label] == y:
            total += log_probs[range(len(path)), path].sum().exp().item()
    return total, log_probs.exp()


# %% wrong: sums not shares
# The sums over paths are not divided by p.
# Message: These are sums over paths; a share is divided by p.


def shares(log_probs, y):
    states = [0, *(label for one in y for label in (one, 0))]
    said = log_probs[:, states]

    def forth(said, states):
        alpha = torch.full_like(said, -torch.inf)
        alpha[0, :2] = said[0, :2]
        for t in range(1, len(said)):
            for s, label in enumerate(states):
                ways = [*alpha[t - 1, max(0, s - 1) : s + 1]]
                if s > 1 and label != 0 and label != states[s - 2]:
                    ways.append(alpha[t - 1, s - 2])
                alpha[t, s] = torch.logsumexp(torch.stack(ways), 0) + said[t, s]
        return alpha

    alpha = forth(said, states)
    beta = forth(said.flip(0, 1), states[::-1]).flip(0, 1)
    total = torch.logsumexp(alpha[-1, -2:], 0)
    if total == -torch.inf:
        raise ValueError("no path")
    weights = (alpha + beta - said.clamp(min=-1e30)).exp()
    gamma = torch.zeros_like(log_probs)
    for s, label in enumerate(states):
        gamma[:, label] += weights[:, s]
    return total, gamma


# %% wrong: said twice
# What is said at a step is in α and in β.
# Message: What is said at a step is in α and in β: it counts once only.


def shares(log_probs, y):
    states = [0, *(label for one in y for label in (one, 0))]
    said = log_probs[:, states]

    def forth(said, states):
        alpha = torch.full_like(said, -torch.inf)
        alpha[0, :2] = said[0, :2]
        for t in range(1, len(said)):
            for s, label in enumerate(states):
                ways = [*alpha[t - 1, max(0, s - 1) : s + 1]]
                if s > 1 and label != 0 and label != states[s - 2]:
                    ways.append(alpha[t - 1, s - 2])
                alpha[t, s] = torch.logsumexp(torch.stack(ways), 0) + said[t, s]
        return alpha

    alpha = forth(said, states)
    beta = forth(said.flip(0, 1), states[::-1]).flip(0, 1)
    total = torch.logsumexp(alpha[-1, -2:], 0)
    if total == -torch.inf:
        raise ValueError("no path")
    weights = (alpha + beta - total).exp()
    gamma = torch.zeros_like(log_probs)
    for s, label in enumerate(states):
        gamma[:, label] += weights[:, s]
    return total, gamma


# %% wrong: jumps between equal labels
# A blank between two equal labels is jumped over.
# Message: Two equal labels need a blank between them.


def shares(log_probs, y):
    states = [0, *(label for one in y for label in (one, 0))]
    said = log_probs[:, states]

    def forth(said, states):
        alpha = torch.full_like(said, -torch.inf)
        alpha[0, :2] = said[0, :2]
        for t in range(1, len(said)):
            for s, label in enumerate(states):
                ways = [*alpha[t - 1, max(0, s - 1) : s + 1]]
                if s > 1 and label != 0:
                    ways.append(alpha[t - 1, s - 2])
                alpha[t, s] = torch.logsumexp(torch.stack(ways), 0) + said[t, s]
        return alpha

    alpha = forth(said, states)
    beta = forth(said.flip(0, 1), states[::-1]).flip(0, 1)
    total = torch.logsumexp(alpha[-1, -2:], 0)
    if total == -torch.inf:
        raise ValueError("no path")
    weights = (alpha + beta - said.clamp(min=-1e30) - total).exp()
    gamma = torch.zeros_like(log_probs)
    for s, label in enumerate(states):
        gamma[:, label] += weights[:, s]
    return total, gamma


# %% wrong: no jumps
# No blank is jumped over.
# Message: A path may jump over a blank between different labels.


def shares(log_probs, y):
    states = [0, *(label for one in y for label in (one, 0))]
    said = log_probs[:, states]

    def forth(said, states):
        alpha = torch.full_like(said, -torch.inf)
        alpha[0, :2] = said[0, :2]
        for t in range(1, len(said)):
            for s in range(len(states)):
                ways = [*alpha[t - 1, max(0, s - 1) : s + 1]]
                alpha[t, s] = torch.logsumexp(torch.stack(ways), 0) + said[t, s]
        return alpha

    alpha = forth(said, states)
    beta = forth(said.flip(0, 1), states[::-1]).flip(0, 1)
    total = torch.logsumexp(alpha[-1, -2:], 0)
    if total == -torch.inf:
        raise ValueError("no path")
    weights = (alpha + beta - said.clamp(min=-1e30) - total).exp()
    gamma = torch.zeros_like(log_probs)
    for s, label in enumerate(states):
        gamma[:, label] += weights[:, s]
    return total, gamma


# %% wrong: one state a class
# Of the states that say a class only the last counts.
# Message: γ


def shares(log_probs, y):
    states = [0, *(label for one in y for label in (one, 0))]
    said = log_probs[:, states]

    def forth(said, states):
        alpha = torch.full_like(said, -torch.inf)
        alpha[0, :2] = said[0, :2]
        for t in range(1, len(said)):
            for s, label in enumerate(states):
                ways = [*alpha[t - 1, max(0, s - 1) : s + 1]]
                if s > 1 and label != 0 and label != states[s - 2]:
                    ways.append(alpha[t - 1, s - 2])
                alpha[t, s] = torch.logsumexp(torch.stack(ways), 0) + said[t, s]
        return alpha

    alpha = forth(said, states)
    beta = forth(said.flip(0, 1), states[::-1]).flip(0, 1)
    total = torch.logsumexp(alpha[-1, -2:], 0)
    if total == -torch.inf:
        raise ValueError("no path")
    weights = (alpha + beta - said.clamp(min=-1e30) - total).exp()
    gamma = torch.zeros_like(log_probs)
    for s, label in enumerate(states):
        gamma[:, label] = weights[:, s]
    return total, gamma


# %% wrong: nothing refused
# What no path writes gives NaN.
# Message: Where no path writes y, raise a ValueError.


def shares(log_probs, y):
    states = [0, *(label for one in y for label in (one, 0))]
    said = log_probs[:, states]

    def forth(said, states):
        alpha = torch.full_like(said, -torch.inf)
        alpha[0, :2] = said[0, :2]
        for t in range(1, len(said)):
            for s, label in enumerate(states):
                ways = [*alpha[t - 1, max(0, s - 1) : s + 1]]
                if s > 1 and label != 0 and label != states[s - 2]:
                    ways.append(alpha[t - 1, s - 2])
                alpha[t, s] = torch.logsumexp(torch.stack(ways), 0) + said[t, s]
        return alpha

    alpha = forth(said, states)
    beta = forth(said.flip(0, 1), states[::-1]).flip(0, 1)
    total = torch.logsumexp(alpha[-1, -2:], 0)
    weights = (alpha + beta - said.clamp(min=-1e30) - total).exp()
    gamma = torch.zeros_like(log_probs)
    for s, label in enumerate(states):
        gamma[:, label] += weights[:, s]
    return total, gamma


# %% wrong: library
# Calls torch's own loss; the shares are its gradient.
# Message: your answer calls torch's ctc_loss.


def shares(log_probs, y):
    x = log_probs.clone().requires_grad_()
    loss = torch.nn.functional.ctc_loss(x, torch.tensor(y), len(x), len(y), reduction="sum")
    if loss.isinf():
        raise ValueError("no path")
    (gamma,) = torch.autograd.grad(-loss, x)
    return -loss.detach(), gamma
