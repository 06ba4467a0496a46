"""Networks whose weights, and whose inputs too, are +1 or −1.

    W ≈ α B     B = sign(W), α = mean |W| of a filter            Binary-Weight-Network, equations (3), (6)
    I ∗ W ≈ (sign(I) ⊛ sign(W)) · K · α     K: the mean |I| of each window           XNOR-Net, equation (11)

sign(0) is +1 everywhere: a bit has no third value. So a rim of zeros is a rim of +1 once it is binary.

sign has the gradient 0 nearly everywhere. The *straight-through estimator* takes that of the clipped line
instead: 1 where |x| ≤ 1, else 0. Real weights are kept and moved; each use makes them binary.

64 signs are one word, and 64 multiply-adds one XOR and one count: a·b = n − 2 · |bits that differ|.

Rastegari et al. 2016, *XNOR-Net*; Bengio, Léonard and Courville 2013 (straight-through).
"""

from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from course_lib.vision.convolution import PLAIN, columns_of, pad

WORD = 64  # bits
Binary = Literal["weights", "both"]


class _Sign(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, x: Tensor) -> Tensor:
        context.save_for_backward(x)
        return torch.where(x >= 0, 1.0, -1.0).to(x.dtype)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> Tensor:
        (x,) = context.saved_tensors
        return gradients[0] * (x.abs() <= 1)


def sign(x: Tensor) -> Tensor:
    """Return +1 where x ≥ 0, else −1; its gradient is the straight-through estimator's."""
    return _Sign.apply(x)  # type: ignore[no-any-return, no-untyped-call]


def filter_scales(weight: Float[Tensor, "outputs *shape"]) -> Float[Tensor, "outputs"]:
    """Return α of each filter: the mean of |W|, with which α · sign(W) is nearest to W."""
    return weight.abs().flatten(1).mean(dim=1)


class BinaryConv2d(nn.Module):
    """A convolution without biases, computed with binary weights, or with binary weights and inputs.

    Args:
        inputs, outputs: channels.
        size: of the kernel along either axis.
        padding: of zeros.
        binary: "weights" (Binary-Weight-Network), or "both", weights and inputs (XNOR-Net).

    Raises:
        ValueError: `binary` is another word.
    """

    def __init__(self, inputs: int, outputs: int, size: int, padding: int, binary: Binary) -> None:
        super().__init__()
        if binary not in ("weights", "both"):
            raise ValueError(f"binary is {binary!r}; allowed are 'weights' and 'both'")
        self.size, self.padding, self.binary = size, padding, binary
        self.weight = nn.Parameter(nn.Conv2d(inputs, outputs, size, bias=False).weight.detach())

    def forward(
        self, inputs: Float[Tensor, "batch inputs height width"]
    ) -> Float[Tensor, "batch outputs lower narrower"]:
        """Return the convolution."""
        signs, scales = sign(self.weight), filter_scales(self.weight)[:, None, None]
        if self.binary == "weights":
            return scales * functional.conv2d(inputs, signs, padding=self.padding)
        padded = pad(inputs, self.padding)
        sizes = functional.avg_pool2d(padded.abs().mean(dim=1, keepdim=True), self.size, stride=1)  # K
        return scales * sizes * functional.conv2d(sign(padded), signs)


def pack(signs: Float[np.ndarray, "rows length"]) -> np.ndarray:
    """Return each row as bits, 64 in a word: 1 for numbers ≥ 0, 0 for those below.

    Returns:
        (rows, ⌈length / 64⌉) uint64; what is left of the last word is 0 in every row.
    """
    bits = np.packbits(signs >= 0, axis=1)
    spare = -bits.shape[1] % (WORD // 8)
    return np.ascontiguousarray(np.pad(bits, ((0, 0), (0, spare)))).view(np.uint64)


def packed_product(left: np.ndarray, right: np.ndarray, length: int) -> np.ndarray:
    """Return the product of a matrix of ±1 and another one transposed, from their packed rows.

    Args:
        left, right: (rows, words) and (columns, words) of `pack`.
        length: n, of a row before it was packed.

    Returns:
        (rows, columns) int32, exactly what multiplying ±1 gives.

    Raises:
        ValueError: the rows have not as many words as the length asks for.
    """
    words = -(-length // WORD)
    if left.shape[1] != words or right.shape[1] != words:
        raise ValueError(
            f"length {length} fills {words} words of {WORD} bits; "
            f"left has {left.shape[1]} in a row, right {right.shape[1]}"
        )
    differ = np.stack([np.bitwise_count(row ^ right).sum(axis=1, dtype=np.int32) for row in left])
    return length - 2 * differ


def packed_convolve(
    inputs: Float[Tensor, "batch inputs height width"],
    weight: Float[Tensor, "outputs inputs rows columns"],
    padding: int,
) -> Float[Tensor, "batch outputs lower narrower"]:
    """Return sign(I) ⊛ sign(W), computed with bits: each window is a row of them, and each filter.

    Args:
        inputs, weight: real numbers; their signs are taken.
        padding: of zeros, whose sign is +1.
    """
    columns, places = columns_of(pad(inputs, padding), weight.shape[2:], PLAIN)
    seen = columns.squeeze(1).transpose(1, 2)  # (batch, places, numbers in a window)
    windows = pack(seen.flatten(0, 1).detach().numpy())
    filters = pack(weight.flatten(1).detach().numpy())
    product = packed_product(windows, filters, seen.shape[2])
    maps = torch.from_numpy(product).to(inputs.dtype).unflatten(0, (len(inputs), -1))
    return maps.transpose(1, 2).unflatten(2, places)
