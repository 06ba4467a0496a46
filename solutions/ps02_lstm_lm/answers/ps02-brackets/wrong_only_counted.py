"""It is only counted how many there are of each.

Message: counting how many there are of each is not enough
"""


def matched_brackets(text, pairs="()[]{}"):
    matched = sum(2 * min(text.count(a), text.count(b)) for a, b in zip(pairs[::2], pairs[1::2], strict=True))
    return matched, sum(character in pairs for character in text)
