"""The window begins one word late on the left.

Message: The window is one short on the left: it begins at the centre's place minus its reach
"""


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i] + 1), place + reaches[i]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs
