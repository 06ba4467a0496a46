"""The neighbours of a centre are ordered by their distance.

Message: The neighbours of a centre come from left to right, not the nearest first
"""


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in sorted(left[first : last + 1], key=lambda j: abs(left.index(j) - place)):
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs
