"""Recurrent networks: vanilla, gated, stacked, and those that look back at their own past."""

from course_lib.recurrent.attentive import AttentiveRNN
from course_lib.recurrent.conversion import from_torch
from course_lib.recurrent.gru import GRU, GRUGates, PaperGRU
from course_lib.recurrent.layer import GatedLayer, RecurrentLayer, State
from course_lib.recurrent.lstm import LSTM, LSTMGates, step_per_gate
from course_lib.recurrent.lstm_variants import CoupledLSTM, PeepholeLSTM
from course_lib.recurrent.lstmn import LSTMN
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.stacked import Stacked

__all__ = [
    "GRU",
    "LSTM",
    "LSTMN",
    "RNN",
    "AttentiveRNN",
    "CoupledLSTM",
    "GRUGates",
    "GatedLayer",
    "LSTMGates",
    "PaperGRU",
    "PeepholeLSTM",
    "RecurrentLayer",
    "Stacked",
    "State",
    "from_torch",
    "step_per_gate",
]
