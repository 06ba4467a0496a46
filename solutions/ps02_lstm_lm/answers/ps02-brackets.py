# %% right: stack of partners
# Written with a stack of the partners that are waited for.


def matched_brackets(text, pairs="()[]{}"):
    partner = {pairs[k]: pairs[k + 1] for k in range(0, len(pairs), 2)}
    awaited, left, total = [], 0, 0
    for character in text:
        if character in partner:
            awaited.append(partner[character])
            total += 1
        elif character in partner.values():
            total += 1
            if awaited and awaited[-1] == character:
                awaited.pop()
            else:
                left += 1
    return total - left - len(awaited), total


# %% right: string
# Written with a string of what is open.


def matched_brackets(text, pairs="()[]{}"):
    brackets = [character for character in text if character in pairs]
    still_open, matched = "", 0
    for bracket in brackets:
        kind, closes = divmod(pairs.index(bracket), 2)
        if not closes:
            still_open += bracket
        elif still_open.endswith(pairs[2 * kind]):
            still_open, matched = still_open[:-1], matched + 2
    return matched, len(brackets)


# %% wrong: depth of each kind
# Each kind has a depth of its own.
# Message: and only its own kind


def matched_brackets(text, pairs="()[]{}"):
    matched = 0
    for a, b in zip(pairs[::2], pairs[1::2], strict=True):
        depth = 0
        for character in text:
            if character == a:
                depth += 1
            elif character == b and depth:
                depth -= 1
                matched += 2
    return matched, sum(character in pairs for character in text)


# %% wrong: library
# The library counts the closing brackets that fit.
# Message: your answer calls course_lib.


from course_lib.metrics.knowledge import brackets


def matched_brackets(text, pairs="()[]{}"):
    return 2 * brackets(text).right, sum(character in pairs for character in text)


# %% wrong: misfits forgotten
# Closing brackets that do not fit are not counted.
# Message: Closing brackets that do not fit are brackets, too


def matched_brackets(text, pairs="()[]{}"):
    opener, still_open, matched = dict(zip(pairs[1::2], pairs[::2], strict=True)), [], 0
    for character in text:
        if character in opener.values():
            still_open.append(character)
        elif character in opener and still_open and still_open[-1] == opener[character]:
            still_open.pop()
            matched += 2
    return matched, matched + len(still_open)


# %% wrong: nothing open
# The first closing bracket looks at an empty stack.
# Message: Nothing is open at the start


def matched_brackets(text, pairs="()[]{}"):
    opener, still_open, matched = dict(zip(pairs[1::2], pairs[::2], strict=True)), [], 0
    for character in text:
        if character in opener.values():
            still_open.append(character)
        elif character in opener and still_open[-1] == opener[character]:
            still_open.pop()
            matched += 2
    return matched, sum(character in pairs for character in text)


# %% wrong: only counted
# It is only counted how many there are of each.
# Message: counting how many there are of each is not enough


def matched_brackets(text, pairs="()[]{}"):
    matched = sum(2 * min(text.count(a), text.count(b)) for a, b in zip(pairs[::2], pairs[1::2], strict=True))
    return matched, sum(character in pairs for character in text)


# %% wrong: open forgotten
# Brackets that stay open are not counted.
# Message: Brackets that stay open are brackets, too


def matched_brackets(text, pairs="()[]{}"):
    opener, still_open, matched, total = dict(zip(pairs[1::2], pairs[::2], strict=True)), [], 0, 0
    for character in text:
        if character in opener.values():
            still_open.append(character)
        elif character in opener:
            total += 1
            if still_open and still_open[-1] == opener[character]:
                still_open.pop()
                matched, total = matched + 2, total + 1
    return matched, total


# %% wrong: own pairs
# The pairs are fixed.
# Message: Which characters are brackets, `pairs` says


def matched_brackets(text, pairs="()[]{}"):
    opener, still_open, matched = {")": "(", "]": "[", "}": "{"}, [], 0
    for character in text:
        if character in "([{":
            still_open.append(character)
        elif character in opener and still_open and still_open[-1] == opener[character]:
            still_open.pop()
            matched += 2
    return matched, sum(character in "()[]{}" for character in text)


# %% wrong: pairs counted
# Pairs are counted, not brackets.
# Message: a pair is two brackets


def matched_brackets(text, pairs="()[]{}"):
    opener, still_open, matched = dict(zip(pairs[1::2], pairs[::2], strict=True)), [], 0
    for character in text:
        if character in opener.values():
            still_open.append(character)
        elif character in opener and still_open and still_open[-1] == opener[character]:
            still_open.pop()
            matched += 1
    return matched, sum(character in pairs for character in text)


# %% wrong: taken away
# A closing bracket that does not fit takes the open one with it.
# Message: A closing bracket that does not fit changes nothing


def matched_brackets(text, pairs="()[]{}"):
    opener, still_open, matched = dict(zip(pairs[1::2], pairs[::2], strict=True)), [], 0
    for character in text:
        if character in opener.values():
            still_open.append(character)
        elif character in opener and still_open and still_open.pop() == opener[character]:
            matched += 2
    return matched, sum(character in pairs for character in text)
