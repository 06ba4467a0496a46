"""Brackets that stay open are not counted.

Message: Brackets that stay open are brackets, too
"""


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
