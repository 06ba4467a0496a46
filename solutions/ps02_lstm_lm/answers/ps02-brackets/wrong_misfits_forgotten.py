"""Closing brackets that do not fit are not counted.

Message: Closing brackets that do not fit are brackets, too
"""


def matched_brackets(text, pairs="()[]{}"):
    opener, still_open, matched = dict(zip(pairs[1::2], pairs[::2], strict=True)), [], 0
    for character in text:
        if character in opener.values():
            still_open.append(character)
        elif character in opener and still_open and still_open[-1] == opener[character]:
            still_open.pop()
            matched += 2
    return matched, matched + len(still_open)
