"""A closing bracket that does not fit takes the open one with it.

Message: A closing bracket that does not fit changes nothing
"""


def matched_brackets(text, pairs="()[]{}"):
    opener, still_open, matched = dict(zip(pairs[1::2], pairs[::2], strict=True)), [], 0
    for character in text:
        if character in opener.values():
            still_open.append(character)
        elif character in opener and still_open and still_open.pop() == opener[character]:
            matched += 2
    return matched, sum(character in pairs for character in text)
