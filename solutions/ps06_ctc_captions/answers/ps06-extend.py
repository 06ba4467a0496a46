# %% right: two dictionaries
# Written with one dictionary for each way to end.


def extend(beam, p, size):
    from collections import Counter

    blank, label = Counter(), Counter()
    for prefix, (b, said) in beam.items():
        blank[prefix] += p[0] * (b + said)
        if prefix:
            label[prefix] += p[prefix[-1]] * said
        for k in range(1, len(p)):
            label[(*prefix, k)] += p[k] * (b if prefix[-1:] == (k,) else b + said)
    whole = blank + label  # only what is above 0 stays
    return {prefix: (blank[prefix], label[prefix]) for prefix, _ in whole.most_common(size)}


# %% right: from the goal
# Written backwards: for each prefix that can be reached, where its paths come from.


def extend(beam, p, size):
    reached = set(beam) | {(*prefix, k) for prefix in beam for k in range(1, len(p))}
    grown = {}
    for prefix in reached:
        b, said = beam.get(prefix, (0.0, 0.0))
        blank, label = p[0] * (b + said), 0.0
        if prefix:
            k = prefix[-1]
            before_b, before_l = beam.get(prefix[:-1], (0.0, 0.0))
            label = p[k] * (said + before_b + (before_l if prefix[-2:-1] != (k,) else 0.0))
        if blank + label > 0:
            grown[prefix] = (blank, label)
    return dict(sorted(grown.items(), key=lambda item: sum(item[1]))[-size:])


# %% wrong: overwritten
# A prefix that is reached twice keeps the last way only.
# Message: is reached in several ways: add them.


def extend(beam, p, size):
    grown = {}
    for prefix, (b, said) in beam.items():
        grown[prefix] = (p[0] * (b + said), p[prefix[-1]] * said if prefix else 0.0)
        for k in range(1, len(p)):
            new = p[k] * (b if prefix[-1:] == (k,) else b + said)
            if new:
                grown[(*prefix, k)] = (0.0, new)
    return dict(sorted(grown.items(), key=lambda item: -sum(item[1]))[:size])


# %% wrong: every label is new
# A label once more, with no blank between, is written again.
# Message: A label once more, with no blank between, is the same label.


def extend(beam, p, size):
    grown = {}
    for prefix, (b, said) in beam.items():
        old = grown.get(prefix, (0.0, 0.0))
        grown[prefix] = (old[0] + p[0] * (b + said), old[1])
        for k in range(1, len(p)):
            old = grown.get((*prefix, k), (0.0, 0.0))
            grown[(*prefix, k)] = (old[0], old[1] + p[k] * (b + said))
    ranked = sorted(grown.items(), key=lambda item: -sum(item[1]))[:size]
    return {prefix: both for prefix, both in ranked if sum(both) > 0}


# %% wrong: never twice
# The last label once more is always the same label, even behind a blank.
# Message: Behind a blank the same label is written once more.


def extend(beam, p, size):
    grown = {}
    for prefix, (b, said) in beam.items():
        old = grown.get(prefix, (0.0, 0.0))
        again = p[prefix[-1]] * said if prefix else 0.0
        grown[prefix] = (old[0] + p[0] * (b + said), old[1] + again)
        for k in range(1, len(p)):
            if prefix[-1:] != (k,):
                old = grown.get((*prefix, k), (0.0, 0.0))
                grown[(*prefix, k)] = (old[0], old[1] + p[k] * (b + said))
    ranked = sorted(grown.items(), key=lambda item: -sum(item[1]))[:size]
    return {prefix: both for prefix, both in ranked if sum(both) > 0}


# %% wrong: no cut
# All prefixes are kept.
# Message: Sum first, then keep the largest p_blank + p_label.


def extend(beam, p, size):
    grown = {}
    for prefix, (b, said) in beam.items():
        old = grown.get(prefix, (0.0, 0.0))
        again = p[prefix[-1]] * said if prefix else 0.0
        grown[prefix] = (old[0] + p[0] * (b + said), old[1] + again)
        for k in range(1, len(p)):
            old = grown.get((*prefix, k), (0.0, 0.0))
            grown[(*prefix, k)] = (old[0], old[1] + p[k] * (b if prefix[-1:] == (k,) else b + said))
    return {prefix: both for prefix, both in grown.items() if sum(both) > 0}


# %% wrong: cut by the larger end
# Prefixes are ranked by the larger of their two numbers.
# Message: Sum first, then keep the largest p_blank + p_label.


def extend(beam, p, size):
    grown = {}
    for prefix, (b, said) in beam.items():
        old = grown.get(prefix, (0.0, 0.0))
        again = p[prefix[-1]] * said if prefix else 0.0
        grown[prefix] = (old[0] + p[0] * (b + said), old[1] + again)
        for k in range(1, len(p)):
            old = grown.get((*prefix, k), (0.0, 0.0))
            grown[(*prefix, k)] = (old[0], old[1] + p[k] * (b if prefix[-1:] == (k,) else b + said))
    ranked = sorted(grown.items(), key=lambda item: -max(item[1]))[:size]
    return {prefix: both for prefix, both in ranked if sum(both) > 0}


# %% wrong: zeros kept
# Prefixes that cannot be are kept.
# Message: Prefixes of probability 0 are left out.


def extend(beam, p, size):
    grown = {}
    for prefix, (b, said) in beam.items():
        old = grown.get(prefix, (0.0, 0.0))
        again = p[prefix[-1]] * said if prefix else 0.0
        grown[prefix] = (old[0] + p[0] * (b + said), old[1] + again)
        for k in range(1, len(p)):
            new = p[k] * (b if prefix[-1:] == (k,) else b + said)
            if new or (b + said and p[0] == 1):
                old = grown.get((*prefix, k), (0.0, 0.0))
                grown[(*prefix, k)] = (old[0], old[1] + new)
    return dict(sorted(grown.items(), key=lambda item: -sum(item[1]))[:size])
