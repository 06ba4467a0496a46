"""The first closing bracket looks at an empty stack.

Message: Nothing is open at the start
"""


def matched_brackets(text, pairs="()[]{}"):
    opener, still_open, matched = dict(zip(pairs[1::2], pairs[::2], strict=True)), [], 0
    for character in text:
        if character in opener.values():
            still_open.append(character)
        elif character in opener and still_open[-1] == opener[character]:
            still_open.pop()
            matched += 2
    return matched, sum(character in pairs for character in text)
