"""Each word is paired with itself, too.

Message: The centre is not its own neighbour
"""


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in left[first : last + 1]:
            if True:
                pairs.append((words[i], words[j]))
    return pairs
