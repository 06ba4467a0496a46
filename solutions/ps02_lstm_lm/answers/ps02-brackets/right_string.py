"""Written with a string of what is open."""


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
