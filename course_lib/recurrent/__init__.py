"""Sequences read step by step: recurrent networks, vanilla and gated, their relatives and gradients."""

from course_lib.recurrent.attentive import AttentiveRNN
from course_lib.recurrent.conv_lstm import ConvLSTM
from course_lib.recurrent.conversion import from_torch
from course_lib.recurrent.gradients import (
    clip_gradients,
    gradient_norms,
    gradient_trace,
    loss_and_penalty,
    state_gradients,
    vanishing_penalty,
)
from course_lib.recurrent.gru import GRU, GRUGates, PaperGRU
from course_lib.recurrent.initial_state import LearnedInitialState
from course_lib.recurrent.jordan import JordanNetwork
from course_lib.recurrent.layer import GatedLayer, RecurrentLayer, State
from course_lib.recurrent.lstm import LSTM, LSTMGates, step_per_gate
from course_lib.recurrent.lstm_variants import CoupledLSTM, PeepholeLSTM
from course_lib.recurrent.lstmn import LSTMN
from course_lib.recurrent.multiplicative import MultiplicativeRNN
from course_lib.recurrent.problems import ManyToMany, ManyToOne, OneToMany, step_loss
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.spectral import spectral_radius, with_spectral_radius
from course_lib.recurrent.stacked import Stacked
from course_lib.recurrent.tcn import TCN, CausalConv
from course_lib.recurrent.time_scales import ClockworkRNN, DelayedRNN, HierarchicalRNN
from course_lib.recurrent.truncated import chunks, detached, streams, truncated_losses

__all__ = [
    "GRU",
    "LSTM",
    "LSTMN",
    "RNN",
    "TCN",
    "AttentiveRNN",
    "CausalConv",
    "ClockworkRNN",
    "ConvLSTM",
    "CoupledLSTM",
    "DelayedRNN",
    "GRUGates",
    "GatedLayer",
    "HierarchicalRNN",
    "JordanNetwork",
    "LSTMGates",
    "LearnedInitialState",
    "ManyToMany",
    "ManyToOne",
    "MultiplicativeRNN",
    "OneToMany",
    "PaperGRU",
    "PeepholeLSTM",
    "RecurrentLayer",
    "Stacked",
    "State",
    "chunks",
    "clip_gradients",
    "detached",
    "from_torch",
    "gradient_norms",
    "gradient_trace",
    "loss_and_penalty",
    "spectral_radius",
    "state_gradients",
    "step_loss",
    "step_per_gate",
    "streams",
    "truncated_losses",
    "vanishing_penalty",
    "with_spectral_radius",
]
