"""The window is laid over the whole sentence, and what is dropped is left out afterwards.

Message: Drop first, then lay the windows: a dropped place does not use up the reach
"""


def skip_gram_pairs(words, reaches, keep):
    pairs = []
    for i, reach in enumerate(reaches):
        for j in range(max(0, i - reach), min(len(words), i + reach + 1)):
            if j != i and keep[i] and keep[j]:
                pairs.append((words[i], words[j]))
    return pairs
