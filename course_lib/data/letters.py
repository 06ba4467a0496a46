r"""What a letter is: Python's `\w` leaves out the marks that stand over, under and beside letters."""

import unicodedata

# Unicode's marks (category M), for the brackets of a pattern; they lie in these two stretches.
MARKS = "".join(
    chr(code)
    for code in (*range(0x300, 0x20000), *range(0xE0100, 0xE0200))
    if unicodedata.category(chr(code)).startswith("M")
)
