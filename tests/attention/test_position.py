"""Position encodings: the formula in plain Python, the rotation, and what is refused."""

import math

import pytest
import torch

from course_lib.attention.position import PositionalEncoding, sinusoidal_positions


def test_equals_the_formula_number_by_number() -> None:
    table = sinusoidal_positions(30, 6)
    for p in range(30):
        for i in range(3):
            angle = p / 10_000 ** (2 * i / 6)
            assert table[p, 2 * i] == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[p, 2 * i + 1] == pytest.approx(math.cos(angle), abs=1e-6)


@pytest.mark.parametrize("k", [1, 7])
def test_a_shift_is_the_same_rotation_everywhere(k: int) -> None:
    table = sinusoidal_positions(40, 8).double()
    rotation = torch.zeros(8, 8, dtype=torch.float64)
    for i in range(4):
        angle = k / 10_000 ** (2 * i / 8)
        c, s = math.cos(angle), math.sin(angle)
        rotation[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor([[c, s], [-s, c]])
    torch.testing.assert_close(table[:-k] @ rotation.T, table[k:], atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", ["sinusoidal", "learned", "none"])
def test_is_indexed_by_position_and_not_by_sentence(kind: str) -> None:
    x = torch.randn(3, 5, 8)
    encoding = PositionalEncoding(8, kind)
    added = encoding(x) - x
    torch.testing.assert_close(added[0], added[2])
    torch.testing.assert_close(encoding(x[:, 2:3], start=2), encoding(x)[:, 2:3])
    assert (kind == "none") == bool((added == 0).all())
    assert (kind == "learned") == bool(list(encoding.parameters()))


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="even size"):
        sinusoidal_positions(3, 5)
    with pytest.raises(ValueError, match=r"'rotary'.*'sinusoidal', 'learned', 'none'"):
        PositionalEncoding(8, "rotary")
    with pytest.raises(ValueError, match=r"position 5 .* up to 4"):
        PositionalEncoding(8, "sinusoidal", longest=4)(torch.zeros(1, 5, 8))
