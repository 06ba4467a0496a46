"""Numbers as German reads them out, two digits at a time: 4728 is "siebenundvierzig achtundzwanzig".

The second digit of each pair is said first, so a translator has to look ahead and then back. The numbers are
drawn, never stored: the rule is the data set.
"""

from collections.abc import Iterator, Sequence

import torch

from course_lib.data.batches import Batch, pad
from course_lib.data.special import BEGIN, END, PAD, SPECIAL

DIGITS = "23456789"  # pairs with 0 or 1 have words of their own, such as elf
ONES = ("zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
TENS = ("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")
SYMBOLS = (*SPECIAL, *DIGITS, *ONES, "und", *TENS)
IDS = {symbol: i for i, symbol in enumerate(SYMBOLS)}


def read_out(number: str) -> tuple[str, ...]:
    """Return the words of a number, for each pair of digits three.

    Raises:
        ValueError: a digit is not one of 2 to 9, or the last one has no partner.
    """
    if len(number) % 2 or not set(number) <= set(DIGITS):
        raise ValueError(f"number is {number!r}; allowed are pairs of the digits {DIGITS}")
    words: list[str] = []
    for ten, one in zip(number[::2], number[1::2], strict=True):
        words += [ONES[DIGITS.index(one)], "und", TENS[DIGITS.index(ten)]]
    return tuple(words)


def number_batch(numbers: Sequence[str]) -> Batch:
    """Return the ids of digits and of words; a target goes from "<s>" to "</s>".

    Raises:
        ValueError: see `read_out`.
    """
    source = [[*(IDS[digit] for digit in number), END] for number in numbers]
    target = [[BEGIN, *(IDS[word] for word in read_out(number)), END] for number in numbers]
    return Batch(pad(source, PAD), pad(target, PAD))


def number_batches(size: int, longest: int, seed: int) -> Iterator[Batch]:
    """Yield batches without end, the numbers of each of one length.

    Args:
        size: numbers in a batch, at least 1.
        longest: most pairs of digits in a number, at least 1.
        seed: draws lengths and digits.
    """
    generator = torch.Generator().manual_seed(seed)
    while True:
        pairs = int(torch.randint(1, longest + 1, (), generator=generator))
        drawn = torch.randint(len(DIGITS), (size, 2 * pairs), generator=generator).tolist()
        yield number_batch(["".join(DIGITS[i] for i in row) for row in drawn])
