"""Recurrent networks that look back at their own past."""

from course_lib.recurrent.attentive import AttentiveRNN
from course_lib.recurrent.lstmn import LSTMN

__all__ = ["LSTMN", "AttentiveRNN"]
