"""What a student may not borrow, from torch or elsewhere, and who may."""

import pytest
import torch
from sklearn.linear_model import Ridge
from torch import nn
from torch.nn import functional

from course_lib.checks.core import CheckError, visible, waves
from course_lib.reservoir.readout import ridge

X = waves(1, 3, 4, dtype=torch.float32)
BORROWED = {
    "scaled_dot_product_attention": lambda: functional.scaled_dot_product_attention(X, X, X),
    "MultiheadAttention": lambda: nn.MultiheadAttention(4, 2, batch_first=True)(X, X, X),
    "multi_head_attention_forward": lambda: functional.multi_head_attention_forward(
        X, X, X, 4, 2, None, None, None, None, False, 0.0, X, None
    ),
    "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)(X),
    "RNN": lambda: nn.RNN(4, 2, batch_first=True)(X),
    "RNNCell": lambda: nn.RNNCell(4, 2)(X[0]),
    "rnn_tanh": lambda: torch.rnn_tanh(
        X, torch.zeros(1, 1, 2), [torch.ones(2, 4), torch.ones(2, 2)], False, 1, 0.0, False, False, True
    ),
    "rnn_tanh_cell": lambda: torch.rnn_tanh_cell(X[0], X[0, :, :2], torch.ones(2, 4), torch.ones(2, 2)),
    "LSTM": lambda: nn.LSTM(4, 2, batch_first=True)(X),
    "LSTMCell": lambda: nn.LSTMCell(4, 2)(X[0]),
    "lstm_cell": lambda: torch.lstm_cell(
        X[0], (X[0, :, :2], X[0, :, :2]), torch.ones(8, 4), torch.ones(8, 2)
    ),
    "GRU": lambda: nn.GRU(4, 2, batch_first=True)(X),
    "GRUCell": lambda: nn.GRUCell(4, 2)(X[0]),
    "gru_cell": lambda: torch.gru_cell(X[0], X[0, :, :2], torch.ones(6, 4), torch.ones(6, 2)),
    "clip_grad_norm_": lambda: nn.utils.clip_grad_norm_([nn.Parameter(X)], 1.0),
    "_clip_grads_with_norm_": lambda: nn.utils.clip_grads_with_norm_([nn.Parameter(X)], 1.0, X.norm()),
}


@pytest.mark.parametrize("name", BORROWED)
def test_an_answer_that_asks_torch_is_refused(name):
    with pytest.raises(CheckError, match=f"your answer calls torch's {name}"), visible("answer", "a case"):
        BORROWED[name]()


@pytest.mark.parametrize(
    ("name", "readout"),
    {
        "course_lib.reservoir.readout.ridge": lambda: ridge(X[0].numpy(), X[0].numpy(), 1.0),
        "sklearn.linear_model": lambda: Ridge().fit(X[0].numpy(), X[0].numpy()),
    }.items(),
)
def test_an_answer_that_borrows_a_readout_is_refused(name, readout):
    with pytest.raises(CheckError, match=f"your answer calls {name}"), visible("answer", "a case"):
        readout()


def test_a_judge_may_ask_torch():
    judge = {"__name__": "course_tools.grading.judge", "nn": nn, "X": X}
    with visible("answer", "a case"):
        exec("nn.MultiheadAttention(4, 2, batch_first=True)(X, X, X)", judge)


def test_softmax_and_layer_norm_are_free():
    with visible("answer", "a case"):
        nn.LayerNorm(4)(X.softmax(dim=-1))
