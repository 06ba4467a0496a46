"""ConvLSTM: an LSTM whose state is an image, and whose products are convolutions.

    i   = σ(W_xi ∗ X_t + W_hi ∗ H_{t−1} + P_i ⊙ C_{t−1} + b_i)
    f   = σ(W_xf ∗ X_t + W_hf ∗ H_{t−1} + P_f ⊙ C_{t−1} + b_f)
    C_t = f ⊙ C_{t−1} + i ⊙ tanh(W_xc ∗ X_t + W_hc ∗ H_{t−1} + b_c)
    o   = σ(W_xo ∗ X_t + W_ho ∗ H_{t−1} + P_o ⊙ C_t + b_o)
    H_t = o ⊙ tanh(C_t)

∗ is a convolution that keeps the image's size; the peepholes P have a weight for each channel and pixel.

Shi et al. 2015, equation 3.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.recurrent.layer import check_state

ImageState = tuple[Tensor, Tensor]  # H and C, each (batch, hidden, height, width)


class ConvLSTM(nn.Module):
    """A layer that reads films.

    Args:
        input_size: channels of a frame.
        hidden_size: channels of H, and of C.
        kernel_size: odd, of all convolutions.
        image_size: height and width of a frame.

    Raises:
        ValueError: the kernel is even or below 1; a number of channels or an image side is below 1.
    """

    def __init__(
        self, input_size: int, hidden_size: int, kernel_size: int, image_size: tuple[int, int]
    ) -> None:
        super().__init__()
        for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
            if size < 1:
                raise ValueError(f"{name} is {size}; allowed is 1 or more")
        if kernel_size < 1 or kernel_size % 2 == 0:
            raise ValueError(f"kernel_size is {kernel_size}; allowed are odd numbers: others shift the image")
        if min(image_size) < 1:
            raise ValueError(f"image_size is {image_size}; allowed are sides of 1 or more")
        self.input_size, self.hidden_size, self.image_size = input_size, hidden_size, image_size
        around = kernel_size // 2
        self.W_x = nn.Conv2d(input_size, 4 * hidden_size, kernel_size, padding=around)
        self.W_h = nn.Conv2d(hidden_size, 4 * hidden_size, kernel_size, padding=around, bias=False)
        self.P_i, self.P_f, self.P_o = (nn.Parameter(torch.zeros(hidden_size, *image_size)) for _ in range(3))
        assert self.W_x.bias is not None
        nn.init.ones_(self.W_x.bias[hidden_size : 2 * hidden_size])  # keep at first, as the LSTM does

    def step(self, projected: Float[Tensor, "batch features height width"], state: ImageState) -> ImageState:
        """Return H_t and C_t.

        Args:
            projected: W_x ∗ X_t + b for i, f, o and c.
            state: H_{t−1} and C_{t−1}.
        """
        h, c = state
        a_i, a_f, a_o, a_c = (projected + self.W_h(h)).chunk(4, dim=1)
        i, f = torch.sigmoid(a_i + self.P_i * c), torch.sigmoid(a_f + self.P_f * c)
        c = f * c + i * torch.tanh(a_c)
        o = torch.sigmoid(a_o + self.P_o * c)
        return o * torch.tanh(c), c

    def zero_state(self, batch: int) -> ImageState:
        """Return the state of a layer that has seen nothing: zeros."""
        shape = batch, self.hidden_size, *self.image_size
        return self.P_i.new_zeros(shape), self.P_i.new_zeros(shape)

    def forward(
        self, frames: Float[Tensor, "batch time input height width"], state: ImageState | None = None
    ) -> tuple[Float[Tensor, "batch time hidden height width"], ImageState]:
        """Watch films.

        Args:
            frames: X_1 … X_T.
            state: H_0 and C_0; None is zeros.

        Returns:
            H_1 … H_T, and the state after the last frame.

        Raises:
            ValueError: the frames have another size or there are none, or the state has another shape.
        """
        size = self.input_size, *self.image_size
        if frames.dim() != 5 or frames.shape[1] < 1 or tuple(frames.shape[2:]) != size:
            allowed = f"(batch, 1 or more, {', '.join(map(str, size))})"
            raise ValueError(f"frames have shape {tuple(frames.shape)}; allowed is {allowed}")
        if state is None:
            state = self.zero_state(len(frames))
        check_state(state, 2, (len(frames), self.hidden_size, *self.image_size))
        projected = self.W_x(frames.flatten(0, 1)).unflatten(0, frames.shape[:2])  # all frames at once
        outputs = []
        for frame in projected.unbind(1):
            state = self.step(frame, state)
            outputs.append(state[0])
        return torch.stack(outputs, dim=1), state
