"""Only one place is joined, and that pair is never looked at again.

Message: Join the pair wherever it stands; yours joins one place and goes on to the next pair
"""


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{byte:02X}>" for byte in character.encode("utf8")]
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        pairs = [pair for pair in pairwise(symbols) if pair in rank]
        if not pairs:
            return symbols
        best = min(pairs, key=lambda pair: rank[pair])
        joined, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == best:
                joined += [best[0] + best[1], *symbols[i + 2 :]]
                break
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined
        del rank[best]
