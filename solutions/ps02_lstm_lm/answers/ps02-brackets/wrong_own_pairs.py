"""The pairs are fixed.

Message: Which characters are brackets, `pairs` says
"""


def matched_brackets(text, pairs="()[]{}"):
    opener, still_open, matched = {")": "(", "]": "[", "}": "{"}, [], 0
    for character in text:
        if character in "([{":
            still_open.append(character)
        elif character in opener and still_open and still_open[-1] == opener[character]:
            still_open.pop()
            matched += 2
    return matched, sum(character in "()[]{}" for character in text)
