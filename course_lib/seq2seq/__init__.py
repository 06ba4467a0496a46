"""Encoders and decoders: one sequence in, another out."""

from course_lib.seq2seq.alignment import WordAlignment, word_alignment
from course_lib.seq2seq.decoders import BahdanauDecoder, ChoDecoder, DecoderState, LuongDecoder
from course_lib.seq2seq.encoder import BidirectionalEncoder, Encoded
from course_lib.seq2seq.model import DECODERS, EncoderDecoder
from course_lib.seq2seq.translator import Translation, Translator, load_translator

__all__ = [
    "DECODERS",
    "BahdanauDecoder",
    "BidirectionalEncoder",
    "ChoDecoder",
    "DecoderState",
    "Encoded",
    "EncoderDecoder",
    "LuongDecoder",
    "Translation",
    "Translator",
    "WordAlignment",
    "load_translator",
    "word_alignment",
]
