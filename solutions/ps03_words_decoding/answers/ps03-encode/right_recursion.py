"""Written with a function that calls itself."""


def encode(word, merges, alphabet):
    def join(symbols):
        ranks = {merges.index(pair) for pair in pairwise(symbols) if pair in merges}
        if not ranks:
            return symbols
        left, right = merges[min(ranks)]
        new = []
        for symbol in symbols:
            if symbol == right and new and new[-1] == (left, "free"):
                new[-1] = (left + right, "joined")
            else:
                new.append((symbol, "free"))
        return join([symbol for symbol, _ in new])

    pieces = [[c] if c in alphabet else [f"<0x{b:02X}>" for b in c.encode("utf-8")] for c in word]
    return join([piece for spelled in pieces for piece in spelled])
