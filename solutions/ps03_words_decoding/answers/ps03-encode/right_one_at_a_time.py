"""Written with one join at a time, the leftmost of the lowest rank."""


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
