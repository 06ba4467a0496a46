"""The library's neighbours are asked.

Message: your answer calls course_lib.words
"""


def solve_analogies(vectors, questions):
    from course_lib.data.wiki_geo import WordVectors
    from course_lib.words.similarity import nearest

    table = WordVectors(tuple(map(str, range(len(vectors)))), vectors)
    return np.array([int(nearest(table, [str(b), str(c)], [str(a)], 1)[0][0]) for a, b, c in questions])
