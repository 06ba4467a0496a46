# %% right: one at a time
# Written with one join at a time, the leftmost of the lowest rank.


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        if character in alphabet:
            symbols.append(character)
        else:
            symbols.extend(f"<0x{byte:02X}>" for byte in character.encode())
    merges = [tuple(pair) for pair in merges]
    done = False
    while not done:
        done = True
        for pair in merges:
            places = [i for i in range(len(symbols) - 1) if (symbols[i], symbols[i + 1]) == pair]
            if places:
                while places:
                    i = places[0]
                    symbols[i : i + 2] = ["".join(pair)]
                    places = [i for i in range(len(symbols) - 1) if (symbols[i], symbols[i + 1]) == pair]
                done = False
                break
    return symbols


# %% right: recursion
# Written with a function that calls itself.


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


# %% wrong: code point
# The number of the character is written, not its bytes.
# Message: That is the number of the character in Unicode; its UTF-8 code has other bytes:


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{ord(character):02X}>"]
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        pairs = [pair for pair in pairwise(symbols) if pair in rank]
        if not pairs:
            return symbols
        best = min(pairs, key=lambda pair: rank[pair])
        joined, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == best:
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined


# %% wrong: first only
# Only one place is joined, and that pair is never looked at again.
# Message: Join the pair wherever it stands; yours joins one place and goes on to the next pair


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


# %% wrong: from the right
# A pair is joined from the right.
# Message: Join from the left: a a a becomes aa a, not a aa


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
        i = len(symbols) - 2
        while i >= 0:
            if tuple(symbols[i : i + 2]) == best:
                symbols[i : i + 2] = [best[0] + best[1]]
                i -= 1
            i -= 1


# %% wrong: joined text
# The pieces are returned as one text.
# Message: should be


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{byte:02X}>" for byte in character.encode("utf8")]
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        pairs = [pair for pair in pairwise(symbols) if pair in rank]
        if not pairs:
            return " ".join(symbols)
        best = min(pairs, key=lambda pair: rank[pair])
        joined, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == best:
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined


# %% wrong: latest pair
# The pair latest in the list is joined first.
# Message: The earliest pair of the list is strongest; yours takes the latest


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
        best = max(pairs, key=lambda pair: rank[pair])
        joined, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == best:
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined


# %% wrong: latin
# The bytes are those of Latin-1.
# Message: That is the number of the character in Unicode


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += (
            [character] if known else [f"<0x{byte:02X}>" for byte in character.encode("latin-1", "replace")]
        )
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        pairs = [pair for pair in pairwise(symbols) if pair in rank]
        if not pairs:
            return symbols
        best = min(pairs, key=lambda pair: rank[pair])
        joined, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == best:
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined


# %% wrong: left as is
# Unknown characters stay as they are.
# Message: A character outside the alphabet is spelled as its UTF-8 bytes; yours stays


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = True
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
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined


# %% wrong: leftmost pair
# The first pair in the word is joined, whatever its rank.
# Message: The rank decides, not the place: take the pair that is earliest in the list of merges


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
        best = pairs[0]
        joined, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == best:
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined


# %% wrong: library
# The library's encoding cuts the word.
# Message: your answer calls course_lib.text.


from course_lib.text.bpe import BytePairEncoding


def encode(word, merges, alphabet):
    steps = list(BytePairEncoding(alphabet, merges).steps(word))
    return list(steps[-1].symbols)


# %% wrong: longest piece
# The longest known piece is cut off, again and again.
# Message: That cuts off the longest piece; BPE joins from characters up, in the order of the merges


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{byte:02X}>" for byte in character.encode("utf8")]

    known, pieces = {left + right for left, right in merges}, []
    while symbols:
        size = max(n for n in range(1, len(symbols) + 1) if n == 1 or "".join(symbols[:n]) in known)
        pieces.append("".join(symbols[:size]))
        symbols = symbols[size:]
    return pieces


# %% wrong: one digit
# Small bytes are written with one digit.
# Message: Each byte has two digits


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{byte:X}>" for byte in character.encode("utf8")]
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        pairs = [pair for pair in pairwise(symbols) if pair in rank]
        if not pairs:
            return symbols
        best = min(pairs, key=lambda pair: rank[pair])
        joined, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == best:
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined


# %% wrong: one pass
# The list is gone through once.
# Message: look again from the top of the list


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{byte:02X}>" for byte in character.encode("utf8")]

    for pair in merges:
        joined, i = [], 0
        while i < len(symbols):
            size = 2 if tuple(symbols[i : i + 2]) == pair else 1
            joined.append("".join(symbols[i : i + size]))
            i += size
        symbols = joined
    return symbols


# %% wrong: one round
# Only one pair is joined.
# Message: Look again after a join: yours stops after the first pair


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
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        return joined


# %% wrong: small digits
# The hexadecimal digits are small letters.
# Message: The hexadecimal digits are capitals: <0xC3>, not <0xc3>


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{byte:02x}>" for byte in character.encode("utf8")]
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        pairs = [pair for pair in pairwise(symbols) if pair in rank]
        if not pairs:
            return symbols
        best = min(pairs, key=lambda pair: rank[pair])
        joined, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == best:
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined


# %% wrong: text replaced
# The pairs are replaced in the spelled-out text.
# Message: Join symbols, not text: a replacement in the spelled-out word also finds the ends of longer


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{byte:02X}>" for byte in character.encode("utf8")]

    text = " ".join(symbols)
    for left, right in merges:
        text = text.replace(f"{left} {right}", left + right)
    return text.split()


# %% wrong: unknown
# Unknown characters become <unk>.
# Message: No word is unknown: spell the character as its UTF-8 bytes


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else ["<unk>"]
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        pairs = [pair for pair in pairwise(symbols) if pair in rank]
        if not pairs:
            return symbols
        best = min(pairs, key=lambda pair: rank[pair])
        joined, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == best:
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined


# %% wrong: unknown dropped
# Unknown characters are dropped.
# Message: Nothing may be lost: an unknown character becomes its bytes


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else []
    rank = {pair: i for i, pair in enumerate(merges)}
    while True:
        pairs = [pair for pair in pairwise(symbols) if pair in rank]
        if not pairs:
            return symbols
        best = min(pairs, key=lambda pair: rank[pair])
        joined, i = [], 0
        while i < len(symbols):
            if tuple(symbols[i : i + 2]) == best:
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined


# %% wrong: whole word bytes
# A word with an unknown character is spelled as bytes altogether.
# Message: Only the unknown character is spelled as bytes, not the whole word


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = alphabet.issuperset(word)
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
                joined.append(best[0] + best[1])
                i += 2
            else:
                joined.append(symbols[i])
                i += 1
        symbols = joined


# %% wrong: one place at a time
# Only the leftmost place of the best pair is joined before the list is looked at again.
# Message: yours looks again after the first place


def encode(word, merges, alphabet):
    symbols = []
    for character in word:
        known = character in alphabet
        symbols += [character] if known else [f"<0x{byte:02X}>" for byte in character.encode()]
    while True:
        places = [
            (merges.index((symbols[i], symbols[i + 1])), i)
            for i in range(len(symbols) - 1)
            if (symbols[i], symbols[i + 1]) in merges
        ]
        if not places:
            return symbols
        _, i = min(places)
        symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
