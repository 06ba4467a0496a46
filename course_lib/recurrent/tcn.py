"""Temporal convolutional network: the past through dilated convolutions, in place of a state.

    F(t)  = Σ_{i=0}^{k−1} f(i) x_{t − d·i}            causal: only now and before; dilation d
    block = ReLU(x' + G(x)),   G = two times (convolution, weight norm, ReLU, dropout);
            x' = x, or a 1×1 convolution of x where widths differ

Block i = 0 … L − 1 has dilation 2^i, so the network sees 1 + 2 (k − 1)(2^L − 1) steps.

Bai, Kolter and Koltun 2018, section 3.
"""

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from course_lib.recurrent.layer import check_inputs


class CausalConv(nn.Module):
    """A convolution over time whose output at t sees inputs up to t only.

    Args:
        input_size: features of an input.
        output_size: features of an output.
        kernel_size: taps k.
        dilation: steps between two taps.

    Raises:
        ValueError: an argument is below 1.
    """

    def __init__(self, input_size: int, output_size: int, kernel_size: int, dilation: int = 1) -> None:
        super().__init__()
        sizes = {"input_size": input_size, "output_size": output_size}
        for name, value in {**sizes, "kernel_size": kernel_size, "dilation": dilation}.items():
            if value < 1:
                raise ValueError(f"{name} is {value}; allowed is 1 or more")
        self.reach = (kernel_size - 1) * dilation
        self.conv = weight_norm(nn.Conv1d(input_size, output_size, kernel_size, dilation=dilation))

    def forward(self, inputs: Float[Tensor, "batch input time"]) -> Float[Tensor, "batch output time"]:
        """Return F(1) … F(T); before the first step the past is 0."""
        return self.conv(nn.functional.pad(inputs, (self.reach, 0)))


class ResidualBlock(nn.Module):
    """Two causal convolutions and a way around them.

    Args:
        input_size, output_size, kernel_size, dilation: of the convolutions.
        dropout: share of features that training hides, whole channels at a time.
    """

    def __init__(
        self, input_size: int, output_size: int, kernel_size: int, dilation: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.transform = nn.Sequential(
            CausalConv(input_size, output_size, kernel_size, dilation),
            nn.ReLU(),
            nn.Dropout1d(dropout),
            CausalConv(output_size, output_size, kernel_size, dilation),
            nn.ReLU(),
            nn.Dropout1d(dropout),
        )
        same = input_size == output_size
        self.around = nn.Identity() if same else nn.Conv1d(input_size, output_size, kernel_size=1)

    def forward(self, inputs: Float[Tensor, "batch input time"]) -> Float[Tensor, "batch output time"]:
        """Return ReLU(x' + G(x))."""
        return nn.functional.relu(self.around(inputs) + self.transform(inputs))


class TCN(nn.Module):
    """Residual blocks whose dilation doubles.

    Args:
        input_size: features of an input.
        hidden_size: features of each block.
        blocks: how many.
        kernel_size: taps of each convolution.
        dropout: share of features that training hides.

    Raises:
        ValueError: there are no blocks; the kernel has no taps.
    """

    def __init__(
        self, input_size: int, hidden_size: int, blocks: int, kernel_size: int = 3, dropout: float = 0.0
    ) -> None:
        super().__init__()
        if blocks < 1:
            raise ValueError(f"blocks is {blocks}; allowed is 1 or more")
        sizes = [input_size] + [hidden_size] * (blocks - 1)
        self.blocks = nn.Sequential(
            *(ResidualBlock(size, hidden_size, kernel_size, 2**i, dropout) for i, size in enumerate(sizes))
        )
        self.input_size = input_size
        self.receptive_field = 1 + 2 * (kernel_size - 1) * (2**blocks - 1)

    def forward(self, inputs: Float[Tensor, "batch time input"]) -> Float[Tensor, "batch time hidden"]:
        """Return the features of each step; those of step t know the last `receptive_field` inputs.

        Raises:
            ValueError: the inputs have another size or no steps.
        """
        check_inputs(inputs, self.input_size, None)
        return self.blocks(inputs.transpose(1, 2)).transpose(1, 2)
