"""Sequences whose answer lies far back. They are made, never stored: the rule is the data set."""

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

REMEMBERED = 10  # symbols to copy
BLANK, GO, SYMBOLS = 0, 9, 10  # symbols 1 to 8 are copied
BITS = 8  # of a vector that is to be copied
ORDER_SYMBOLS, ORDERS = 6, 4  # A, B and four kinds of noise; AA, AB, BA, BB


def adding_problem(
    count: int, length: int, generator: Generator
) -> tuple[Float[Tensor, "count length 2"], Float[Tensor, "count"]]:
    """Return sequences of numbers, two of them marked, and the sums of the marked ones.

    An input is (number, mark): the number is uniform in 0 to 1, the mark is 1 at two places and 0 elsewhere.
    Who always answers 1 has a mean squared error of 1/6, the variance of a sum of two such numbers.

    Args:
        count: sequences.
        length: steps, 2 or more.
        generator: where chance comes from.

    Raises:
        ValueError: there are not two places to mark.

    Source: Hochreiter and Schmidhuber 1997, section 5.4; marks anywhere as in Bai, Kolter and Koltun 2018.
    """
    if length < 2:
        raise ValueError(f"length is {length}; allowed is 2 or more, for two marks")
    numbers = torch.rand(count, length, generator=generator)
    places = torch.rand(count, length, generator=generator).topk(2).indices  # two different ones, all alike
    marks = torch.zeros(count, length).scatter(1, places, 1.0)
    return torch.stack([numbers, marks], dim=-1), (numbers * marks).sum(dim=1)


def copy_memory(
    count: int, gap: int, generator: Generator
) -> tuple[Int[Tensor, "count length"], Int[Tensor, "count length"]]:
    """Return sequences that begin with ten symbols, and what to say: those ten again at the end, else blanks.

        input    s s s s s s s s s s 0 0 … 0 9 9 9 9 9 9 9 9 9 9 9    s: one of 1 to 8
        target   0 0 0 0 0 0 0 0 0 0 0 0 … 0 0 s s s s s s s s s s

    Both have gap + 20 steps: ten symbols, gap − 1 blanks, eleven times 9. Each symbol is asked for gap + 10
    steps after it was read. Who says blank and then guesses has a mean cross-entropy of
    10 ln 8 / (gap + 20) nats a step.

    Args:
        count: sequences.
        gap: T in the paper, 1 or more.
        generator: where chance comes from.

    Raises:
        ValueError: the gap is below 1.

    Source: Bai, Kolter and Koltun 2018, section 4 ("Copy memory").
    """
    if gap < 1:
        raise ValueError(f"gap is {gap}; allowed is 1 or more")
    symbols = torch.randint(1, GO, (count, REMEMBERED), generator=generator)
    blanks, go = torch.full((count, gap - 1), BLANK), torch.full((count, REMEMBERED + 1), GO)
    silence = torch.full((count, REMEMBERED + gap), BLANK)
    return torch.cat([symbols, blanks, go], dim=1), torch.cat([silence, symbols], dim=1)


def vectors_to_copy(
    count: int, length: int, generator: Generator, repeats: int = 1
) -> tuple[Float[Tensor, "count time channels"], Float[Tensor, "count answers bits"]]:
    """Return sequences of random bits, and what to say once a sign has come: the sequence, so many times.

        input     v_1 v_2 … v_n  sign  0   0  …  0      the sign is on a channel of its own
        answer     –   –  …  –    –   v_1 v_2 … v_n     only the last steps are asked for

    Args:
        count: sequences.
        length: n, 1 or more.
        generator: where chance comes from.
        repeats: how often to say it, 1 or more; the sign is this number.

    Returns:
        inputs, n + 1 + repeats · n steps of `BITS` + 1 channels, and the answers to the last of them.

    Raises:
        ValueError: the length or the repeats are below 1.

    Source: Graves, Wayne and Danihelka 2014, sections 4.1 and 4.2; there a mark ends an answer.
    """
    for name, value in (("length", length), ("repeats", repeats)):
        if value < 1:
            raise ValueError(f"{name} is {value}; allowed is 1 or more")
    vectors = torch.randint(2, (count, length, BITS), generator=generator).float()
    answers = vectors.repeat(1, repeats, 1)
    inputs = torch.zeros(count, length + 1 + repeats * length, BITS + 1)
    inputs[:, :length, :BITS] = vectors
    inputs[:, length, BITS] = repeats
    return inputs, answers


def vectors_forth_and_back(
    count: int, length: int, generator: Generator
) -> tuple[Float[Tensor, "count time channels"], Float[Tensor, "count answers bits"]]:
    """Return sequences of random bits, to be said in their order, and then, after a second sign, in reverse.

        input     v_1 … v_n  go   0  …  0   turn   0  …  0       each sign is on a channel of its own
        answer     –  …  –   –   v_1 … v_n   –    v_n … v_1

    Args:
        count: sequences.
        length: n, 1 or more.
        generator: where chance comes from.

    Returns:
        inputs, 3n + 2 steps of `BITS` + 2 channels, and the answers to the last 2n + 1 steps; the one at the
        second sign is all zeros.

    Raises:
        ValueError: the length is below 1.
    """
    if length < 1:
        raise ValueError(f"length is {length}; allowed is 1 or more")
    vectors = torch.randint(2, (count, length, BITS), generator=generator).float()
    inputs = torch.zeros(count, 3 * length + 2, BITS + 2)
    inputs[:, :length, :BITS] = vectors
    inputs[:, length, BITS] = 1
    inputs[:, 2 * length + 1, BITS + 1] = 1
    return inputs, torch.cat([vectors, torch.zeros(count, 1, BITS), vectors.flip(1)], dim=1)


def delayed_bit(
    count: int, delay: int, generator: Generator, noise: float = 0.5
) -> tuple[Float[Tensor, "count steps 1"], Float[Tensor, "count"]]:
    """Return sequences whose first input is a bit, −1 or 1, and then only noise; and the bits, 0 or 1.

    Args:
        count: sequences.
        delay: steps of noise after the bit, 0 or more.
        generator: where chance comes from.
        noise: standard deviation of the normal noise, 0 or more.

    Raises:
        ValueError: the delay or the noise is below 0.

    Source: after Bengio, Simard and Frasconi 1994, section 2.
    """
    for name, value in (("delay", delay), ("noise", noise)):
        if value < 0:
            raise ValueError(f"{name} is {value}; allowed is 0 or more")
    bits = torch.randint(2, (count,), generator=generator).float()
    inputs = noise * torch.randn(count, delay + 1, 1, generator=generator)
    inputs[:, 0, 0] = 2 * bits - 1
    return inputs, bits


def temporal_order(
    count: int, length: int, generator: Generator
) -> tuple[Float[Tensor, "count length symbols"], Int[Tensor, "count"]]:
    """Return one-hot sequences of noise with two marks, and the order of the marks.

    The first mark stands in the second tenth of a sequence, the second one in the fifth; each is A (symbol 0)
    or B (1). Classes: AA 0, AB 1, BA 2, BB 3.

    Args:
        count: sequences.
        length: steps, 10 or more.
        generator: where chance comes from.

    Raises:
        ValueError: too short for two marks.

    Source: Pascanu, Mikolov and Bengio 2013, section 4.1, after Hochreiter and Schmidhuber 1997, task 6a.
    """
    if length < 10:
        raise ValueError(f"length is {length}; allowed is 10 or more, for two marks")
    symbols = torch.randint(2, ORDER_SYMBOLS, (count, length), generator=generator)
    marks = torch.randint(2, (count, 2), generator=generator)
    for column, tenth in enumerate((1, 4)):
        first, end = tenth * length // 10, (tenth + 1) * length // 10
        places = torch.randint(first, end, (count,), generator=generator)
        symbols[torch.arange(count), places] = marks[:, column]
    return nn.functional.one_hot(symbols, ORDER_SYMBOLS).float(), 2 * marks[:, 0] + marks[:, 1]
