"""A neighbour that is the same word is left out.

Message: Another place with the same word is a neighbour like any other: compare places, not words
"""


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in left[first : last + 1]:
            if words[j] != words[i]:
                pairs.append((words[i], words[j]))
    return pairs
