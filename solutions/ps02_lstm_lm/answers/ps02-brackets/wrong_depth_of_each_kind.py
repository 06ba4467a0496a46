"""Each kind has a depth of its own.

Message: and only its own kind
"""


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
