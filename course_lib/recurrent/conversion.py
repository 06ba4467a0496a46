"""Take over the weights of torch's recurrent modules, which order the LSTM's gates i, f, g, o."""

import torch
from torch import Tensor, nn

from course_lib.recurrent.gru import GRU
from course_lib.recurrent.layer import RecurrentLayer
from course_lib.recurrent.lstm import LSTM
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.stacked import Stacked

LAYERS: dict[str, type[RecurrentLayer]] = {"RNN_TANH": RNN, "LSTM": LSTM, "GRU": GRU}


def from_torch(theirs: nn.RNNBase) -> Stacked:
    """Return our layers with the weights of `nn.RNN` (tanh), `nn.LSTM` or `nn.GRU`.

    Args:
        theirs: batch first, with biases, without projection.

    Raises:
        ValueError: a module that none of our layers equals.
    """
    if theirs.mode not in LAYERS or not theirs.bias or theirs.proj_size or not theirs.batch_first:
        raise ValueError(
            f"theirs is {theirs}; allowed are tanh RNN, LSTM and GRU, batch first, biased, no projection"
        )
    ours = Stacked(
        LAYERS[theirs.mode],
        theirs.input_size,
        theirs.hidden_size,
        theirs.num_layers,
        theirs.bidirectional,
        theirs.dropout,
    )
    like = next(theirs.parameters())
    ours.to(like.device, like.dtype)
    for layer, weights in zip(ours.rnns, theirs.all_weights, strict=True):
        layer.load_state_dict(translated(theirs.mode, *weights))
    return ours


def translated(mode: str, W_x: Tensor, W_h: Tensor, b_x: Tensor, b_h: Tensor) -> dict[str, Tensor]:
    """Return the weights of one layer under our names. torch's two biases act as one, but for the GRU's n."""
    if mode == "LSTM":
        W_x, W_h, b_x, b_h = slide_order(W_x), slide_order(W_h), slide_order(b_x), slide_order(b_h)
    if mode == "GRU":
        b_r, b_z, b_n = b_h.chunk(3)
        b = b_x + torch.cat([b_r, b_z, torch.zeros_like(b_n)])
        return {"W_x.weight": W_x, "W_h.weight": W_h, "W_x.bias": b, "b_h": b_n}
    return {"W_x.weight": W_x, "W_h.weight": W_h, "W_x.bias": b_x + b_h}


def slide_order(weight: Tensor) -> Tensor:
    """Put the four blocks i, f, g, o of torch's LSTM in the order i, f, o, g."""
    i, f, g, o = weight.chunk(4)
    return torch.cat([i, f, o, g])
