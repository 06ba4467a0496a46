"""Languages that take counting: aⁿbⁿ and aⁿbⁿcⁿ, n = 1, 2, …

The generator writes a word from its n. The recogniser knows no n: it reads one symbol after the other and
keeps counters that only go up or down by one and are only compared with 0, as the counter machines of Weiss,
Goldberg and Yahav 2018, section 3, do. Finitely many states without counters are not enough.
"""

END = "."  # follows a finished word


def counting_word(n: int, letters: str = "ab") -> str:
    """Return n times each letter, in order: "aaabbb" for 3 and "ab".

    Args:
        n: 1 or more.
        letters: "ab" for aⁿbⁿ, "abc" for aⁿbⁿcⁿ; two or more different ones.

    Raises:
        ValueError: n is below 1, or the letters are no such language.
    """
    _check(letters)
    if n < 1:
        raise ValueError(f"n is {n}; allowed is 1 or more")
    return "".join(letter * n for letter in letters)


def continuations(text: str, letters: str = "ab") -> list[frozenset[str]]:
    """Return which symbols may come next, before the first symbol of a text and after each.

    Reading a letter owes one of the next letter; from the second letter on it also pays one.

    Args:
        text: any string.
        letters: the language, as in `counting_word`.

    Returns:
        len(text) + 1 sets of letters, or of `END` after a word; empty once the text has left the language.

    Raises:
        ValueError: the letters are no such language.
    """
    _check(letters)
    owed = [0] * (len(letters) + 1)
    allowed = frozenset(letters[0])
    found = [allowed]
    for symbol in text:
        if symbol not in allowed or symbol == END:
            allowed = frozenset()
        else:
            block = letters.index(symbol)
            owed[block + 1] += 1
            if block == 0:
                allowed = frozenset(letters[:2])
            else:
                owed[block] -= 1
                allowed = frozenset(letters[block] if owed[block] else (letters + END)[block + 1])
        found.append(allowed)
    return found


def accepts(text: str, letters: str = "ab") -> bool:
    """Return whether a text is a word of the language.

    Args:
        text: any string, without `END`.
        letters: the language, as in `counting_word`.

    Raises:
        ValueError: the letters are no such language.
    """
    return END in continuations(text, letters)[-1]


def _check(letters: str) -> None:
    if len(set(letters)) != len(letters) or len(letters) < 2 or END in letters:
        raise ValueError(f"letters are {letters!r}; allowed are two or more different ones without {END!r}")
