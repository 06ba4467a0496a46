"""The longest known piece is cut off, again and again.

Message: That cuts off the longest piece; BPE joins from characters up, in the order of the merges
"""


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
