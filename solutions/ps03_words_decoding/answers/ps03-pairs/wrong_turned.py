"""The pairs are (neighbour, centre).

Message: A pair is (centre, neighbour), in this order
"""


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[j], words[i]))
    return pairs
