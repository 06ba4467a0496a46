"""Written with a heap instead of a sort."""


def beam_search_table(table, k):
    import heapq

    beam, scored = [(0.0, [])], 0
    for row in np.asarray(table):
        heap = []
        for score, tokens in beam:
            for word in np.flatnonzero(row):
                heapq.heappush(heap, (score - float(np.log(row[word])), [*tokens, int(word)]))
        scored += len(heap)
        beam = [heapq.heappop(heap) for _ in range(min(k, len(heap)))]
    return [(tokens, score) for score, tokens in beam], scored
