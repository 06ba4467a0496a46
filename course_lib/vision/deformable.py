"""Deformable convolution: each output looks where it has learned to look (Dai et al. 2017, section 2.1).

    y(i) = Σ_k w_k · x(S·i + D·k − P + Δ_k(i))                    Δ an offset (y, x) in pixels, a real number
    x(p) = Σ_q max(0, 1 − |q_y − p_y|) max(0, 1 − |q_x − p_x|) x(q)      bilinear: the four pixels around p

The offsets come from a convolution of the same input, so they differ from place to place and from picture to
picture. They are learned, since x(p) has a gradient by p. All channels share them.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.vision.convolution import PLAIN, Geometry, output_size


def sample_bilinear(
    inputs: Float[Tensor, "batch channels height width"], places: Float[Tensor, "batch *where 2"]
) -> Float[Tensor, "batch channels *where"]:
    """Return the picture's values at places between its pixels; outside lies 0.

    Args:
        inputs: a batch of pictures.
        places: (y, x) in pixels; (0, 0) is the middle of the first pixel.
    """
    height, width = inputs.shape[2:]
    flat, pixels = places.flatten(1, -2), inputs.flatten(2)  # (batch, n, 2), (batch, channels, pixels)
    corner = flat.detach().floor()
    found = inputs.new_zeros(*inputs.shape[:2], flat.shape[1])
    for step in ((0, 0), (0, 1), (1, 0), (1, 1)):
        near = corner + corner.new_tensor(step)
        share = (1 - (flat - near).abs()).prod(dim=-1)  # 1 on the pixel itself, 0 at the next
        y, x = near.unbind(dim=-1)
        inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
        index = (y.clamp(0, height - 1) * width + x.clamp(0, width - 1)).long()
        values = pixels.gather(2, index.unsqueeze(1).expand(-1, pixels.shape[1], -1))
        found = found + values * (share * inside).unsqueeze(1)
    return found.unflatten(2, places.shape[1:-1])


def sampling_places(
    offsets: Float[Tensor, "batch offsets lower narrower"],
    taps: tuple[int, int],
    geometry: Geometry = PLAIN,
) -> Float[Tensor, "batch taps lower narrower 2"]:
    """Return where each output looks, as (y, x) in pixels of the input.

    Args:
        offsets: for each output a (y, x) for each tap, row by row: y, x, y, x …
        taps: rows and columns of the kernel.
        geometry: stride, padding, dilation.

    Raises:
        ValueError: there are other than two numbers a tap.
    """
    wanted = 2 * taps[0] * taps[1]
    if offsets.shape[1] != wanted:
        raise ValueError(
            f"offsets have {offsets.shape[1]} channels; a {taps[0]}×{taps[1]} kernel has {wanted}"
        )
    stride, padding, dilation, _ = geometry
    grids = [
        torch.arange(tap, dtype=offsets.dtype, device=offsets.device).unsqueeze(1) * dilation
        + torch.arange(place, dtype=offsets.dtype, device=offsets.device) * stride
        - padding
        for tap, place in zip(taps, offsets.shape[2:], strict=True)
    ]  # (taps, places) of either axis
    y = grids[0][:, None, :, None].expand(*taps, *offsets.shape[2:])
    x = grids[1][None, :, None, :].expand(*taps, *offsets.shape[2:])
    regular = torch.stack([y, x], dim=-1).flatten(0, 1)
    return regular + offsets.unflatten(1, (-1, 2)).movedim(2, -1)


def deformable_convolve(
    inputs: Float[Tensor, "batch channels height width"],
    offsets: Float[Tensor, "batch offsets lower narrower"],
    weight: Float[Tensor, "outputs share rows columns"],
    bias: Float[Tensor, "outputs"] | None = None,
    geometry: Geometry = PLAIN,
) -> Float[Tensor, "batch outputs lower narrower"]:
    """Return the convolution whose taps are moved by the offsets; of zeros, the ordinary one.

    Args:
        inputs: a batch of pictures.
        offsets: see `sampling_places`; as large as the output.
        weight: of each output, for all channels: groups have no part in this.
        bias: a number for each output channel; None is 0.
        geometry: stride, padding and dilation.

    Raises:
        ValueError: channels or sizes do not fit each other, or the geometry has no meaning.
    """
    if geometry.groups != 1:
        raise ValueError(f"groups is {geometry.groups}; a deformable convolution has 1")
    if inputs.shape[1] != weight.shape[1]:
        raise ValueError(f"inputs have {inputs.shape[1]} channels; the weight is for {weight.shape[1]}")
    pairs = zip(inputs.shape[2:], weight.shape[2:], strict=True)
    sizes = tuple(output_size(size, taps, geometry) for size, taps in pairs)
    if offsets.shape[2:] != sizes:
        raise ValueError(f"offsets are for {tuple(offsets.shape[2:])} places; the output has {sizes}")
    rows, columns = weight.shape[2:]
    seen = sample_bilinear(inputs, sampling_places(offsets, (rows, columns), geometry))
    outputs = torch.einsum("ock,bckhw->bohw", weight.flatten(2), seen)
    return outputs if bias is None else outputs + bias[:, None, None]


class DeformableConvolution(nn.Module):
    """A convolution and the convolution that moves its taps; at first the offsets are 0.

    Args:
        inputs, outputs: channels.
        kernel_size: taps F along either axis.
        geometry: stride, padding and dilation of both convolutions.
    """

    def __init__(self, inputs: int, outputs: int, kernel_size: int, geometry: Geometry = PLAIN) -> None:
        super().__init__()
        stride, padding, dilation, _ = geometry
        self.geometry = geometry
        self.kernel = nn.Conv2d(inputs, outputs, kernel_size)
        self.offsets = nn.Conv2d(inputs, 2 * kernel_size**2, kernel_size, stride, padding, dilation)
        for start in self.offsets.parameters():
            nn.init.zeros_(start)

    def forward(
        self, inputs: Float[Tensor, "batch inputs height width"]
    ) -> Float[Tensor, "batch outputs lower narrower"]:
        """Look where the offsets say."""
        moved = self.offsets(inputs)
        return deformable_convolve(inputs, moved, self.kernel.weight, self.kernel.bias, self.geometry)

    def places(
        self, inputs: Float[Tensor, "batch inputs height width"]
    ) -> Float[Tensor, "batch taps lower narrower 2"]:
        """Return where each output looks, as (y, x) in pixels."""
        rows, columns = self.kernel.weight.shape[2:]
        return sampling_places(self.offsets(inputs), (rows, columns), self.geometry)
