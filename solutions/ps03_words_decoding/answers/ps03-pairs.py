# %% right: distances
# Written by comparing every two places that are left.


def skip_gram_pairs(words, reaches, keep):
    left = [(word, reach) for word, reach, stays in zip(words, reaches, keep, strict=True) if stays]
    return [
        (centre, near)
        for i, (centre, reach) in enumerate(left)
        for j, (near, _) in enumerate(left)
        if 0 < abs(i - j) <= reach
    ]


# %% right: two slices
# Written with one slice to the left and one to the right.


def skip_gram_pairs(words, reaches, keep):
    reaches = [reach for reach, stays in zip(reaches, keep, strict=True) if stays]
    words = [word for word, stays in zip(words, keep, strict=True) if stays]
    pairs = []
    for i, reach in enumerate(reaches):
        around = words[:i][max(0, i - reach) :] + words[i + 1 :][:reach]
        pairs += [(words[i], near) for near in around]
    return pairs


# %% wrong: dropped everywhere
# A word that is dropped once is dropped everywhere.
# Message: Places are dropped, not words: the same word may be dropped here and kept there


def skip_gram_pairs(words, reaches, keep):
    gone = {word for word, stays in zip(words, keep, strict=True) if not stays}
    left = [i for i, word in enumerate(words) if word not in gone]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: dropped neighbours
# Dropped words are no centres, but still neighbours.
# Message: A dropped place is no neighbour either


def skip_gram_pairs(words, reaches, keep):
    pairs = []
    for i, reach in enumerate(reaches):
        if keep[i]:
            around = [*words[max(0, i - reach) : i], *words[i + 1 : i + 1 + reach]]
            pairs += [(words[i], near) for near in around]
    return pairs


# %% wrong: each pair once
# Equal pairs are kept once.
# Message: A pair that comes twice stays twice; a set or a dictionary keeps it once


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return list(dict.fromkeys(pairs))


# %% wrong: gaps count
# The window is laid over the whole sentence, and what is dropped is left out afterwards.
# Message: Drop first, then lay the windows: a dropped place does not use up the reach


def skip_gram_pairs(words, reaches, keep):
    pairs = []
    for i, reach in enumerate(reaches):
        for j in range(max(0, i - reach), min(len(words), i + reach + 1)):
            if j != i and keep[i] and keep[j]:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: itself
# Each word is paired with itself, too.
# Message: The centre is not its own neighbour


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in left[first : last + 1]:
            if True:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: largest reach
# All centres reach as far as the farthest.
# Message: Each centre has a reach of its own; yours all have the largest


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        reach = max(r for r, stays in zip(reaches, keep, strict=True) if stays)
        first, last = max(0, place - reach), place + reach
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: left only
# Only the words before the centre are neighbours.
# Message: A window reaches to both sides; yours only to the left


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: left short
# The window begins one word late on the left.
# Message: The window is one short on the left: it begins at the centre's place minus its reach


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i] + 1), place + reaches[i]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: library
# The library makes the pairs, all with the widest reach.
# Message: your answer calls course_lib.words.windows.skip_gram_pairs


from course_lib.words.windows import skip_gram_pairs as ready_made


def skip_gram_pairs(words, reaches, keep):
    return ready_made([word for word, stays in zip(words, keep, strict=True) if stays], max(reaches))


# %% wrong: nearest first
# The neighbours of a centre are ordered by their distance.
# Message: The neighbours of a centre come from left to right, not the nearest first


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in sorted(left[first : last + 1], key=lambda j: abs(left.index(j) - place)):
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: negative start
# A window that begins before the sentence counts from its end.
# Message: A slice with a negative start counts from the end: let no window begin before place 0


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = place - reaches[i], place + reaches[i]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: neighbours reach
# A pair is made if the neighbour reaches the centre.
# Message: The reach of the centre counts, not the neighbour's


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    return [
        (words[i], words[j])
        for a, i in enumerate(left)
        for b, j in enumerate(left)
        if 0 < abs(a - b) <= reaches[j]
    ]


# %% wrong: nothing dropped
# Nothing is dropped.
# Message: `keep` has no influence


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if True]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: one too far
# The window is one word too wide on either side.
# Message: The window is one too wide: a reach of 1 means the next word, not the one behind it


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i] - 1), place + reaches[i]
        for j in left[first : last + 2]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: reaches slip
# The reaches are read by the places that are left.
# Message: reaches[i] belongs to words[i] of the whole sentence; yours slip when words are dropped


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[place]), place + reaches[place]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: right only
# Only the words behind the centre are neighbours.
# Message: A window reaches to both sides; yours only to the right


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = place, place + reaches[i]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: right short
# The window ends one word early on the right.
# Message: The window is one short on the right: the end of a slice or a range is not part of it


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in left[first:last]:
            if j != i:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: same word
# A neighbour that is the same word is left out.
# Message: Another place with the same word is a neighbour like any other: compare places, not words


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in left[first : last + 1]:
            if words[j] != words[i]:
                pairs.append((words[i], words[j]))
    return pairs


# %% wrong: turned
# The pairs are (neighbour, centre).
# Message: A pair is (centre, neighbour), in this order


def skip_gram_pairs(words, reaches, keep):
    left = [i for i, stays in enumerate(keep) if stays]
    pairs = []
    for place, i in enumerate(left):
        first, last = max(0, place - reaches[i]), place + reaches[i]
        for j in left[first : last + 1]:
            if j != i:
                pairs.append((words[j], words[i]))
    return pairs
