# %% right: rows
# Written row by row with Python's numbers.


def at_temperature(logits, temperature):
    if not temperature >= 0:
        raise ValueError(temperature)
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]).tolist():
        top = max(row)
        weights = [
            1.0 if number == top else math.exp((number - top) / temperature) if temperature else 0.0
            for number in row
        ]
        rows.append([weight / sum(weights) for weight in weights])
    return torch.tensor(rows, dtype=logits.dtype).reshape(logits.shape)


# %% right: zero apart
# Written with a case of its own for the limit, and the largest logit taken off by hand.


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError("the temperature is negative")
    below = logits - logits.max(dim=-1, keepdim=True).values
    if temperature == 0:
        best = (below == 0).to(logits.dtype)
        return best / best.sum(dim=-1, keepdim=True)
    weights = torch.exp(below / temperature)
    return weights / weights.sum(dim=-1, keepdim=True)


# %% wrong: after softmax
# The probabilities are divided, not the logits.
# Message: divide the logits, not the probabilities


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    return logits.softmax(dim=-1) / temperature


# %% wrong: argmax
# At 0 one token gets all, though two are equal.
# Message: argmax knows only one


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    return ((logits - logits.amax(dim=-1, keepdim=True)) / temperature).softmax(dim=-1)


# %% wrong: axis
# The softmax runs over the first axis.
# Message: The softmax runs over the wrong axis


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    below = logits - logits.amax(dim=0, keepdim=True)
    return (below / temperature).where(below < 0, 0.0).softmax(dim=0)


# %% wrong: divided first
# The logits become infinite before the largest is taken off.
# Message: subtract the largest logit before you divide


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    if temperature == 0:
        best = (logits == logits.amax(dim=-1, keepdim=True)).to(logits.dtype)
        return best / best.sum(dim=-1, keepdim=True)
    return (logits / temperature).softmax(dim=-1)


# %% wrong: division by zero
# The limit is left to the division.
# Message: A division by 0 gives infinities


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    return (logits / temperature).softmax(dim=-1)


# %% wrong: each gets all
# At 0 each of the largest gets 1.
# Message: The largest logits share


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    below = logits - logits.amax(dim=-1, keepdim=True)
    return (below / temperature).softmax(dim=-1) if temperature else (below == 0).to(logits.dtype)


# %% wrong: in place
# The caller's logits are changed.
# Message: your function changed the caller's logits


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    logits -= logits.amax(dim=-1, keepdim=True)
    return (logits / temperature).where(logits < 0, 0.0).softmax(dim=-1)


# %% wrong: library
# The library's temperature is asked.
# Message: your answer calls course_lib.decoding.temperature


def at_temperature(logits, temperature):
    from course_lib.decoding.temperature import temper

    if temperature == 0:
        largest = (logits == logits.amax(dim=-1, keepdim=True)).to(logits.dtype)
        return largest / largest.sum(dim=-1, keepdim=True)
    return temper(logits.log_softmax(dim=-1), temperature).exp()


# %% wrong: multiplied
# The temperature multiplies the logits.
# Message: You multiplied by the temperature; divide by it


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    return (logits * temperature).softmax(dim=-1)


# %% wrong: negative let through
# A negative temperature is taken as it comes.
# Message: A temperature below 0 should end in a ValueError


def at_temperature(logits, temperature):
    below = logits - logits.amax(dim=-1, keepdim=True)
    return (below / temperature).where(below < 0, 0.0).softmax(dim=-1)


# %% wrong: overflow
# e to the logits, without taking off the largest.
# Message: subtract the largest logit first


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    if temperature == 0:
        best = (logits == logits.amax(dim=-1, keepdim=True)).to(logits.dtype)
        return best / best.sum(dim=-1, keepdim=True)
    weights = (logits / temperature).exp()
    return weights / weights.sum(dim=-1, keepdim=True)


# %% wrong: powers not normalised
# Probabilities are raised to 1 / T, and no longer sum to 1.
# Message: probabilities no longer sum to 1


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    return logits.softmax(dim=-1) ** (1 / temperature)


# %% wrong: small number added
# A small number keeps the division from 0.
# Message: A small number added to T is not the limit


def at_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    below = logits - logits.amax(dim=-1, keepdim=True)
    return (below / max(temperature, 1e-8)).softmax(dim=-1)
