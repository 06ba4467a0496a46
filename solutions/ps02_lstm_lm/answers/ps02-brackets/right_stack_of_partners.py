"""Written with a stack of the partners that are waited for."""


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
