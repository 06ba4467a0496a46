"""Encoders and decoders: one sequence in, another out."""

from course_lib.seq2seq.alignment import WordAlignment, word_alignment
from course_lib.seq2seq.bahdanau_variants import FixedLookDecoder, LocationAwareDecoder, WordAwareDecoder
from course_lib.seq2seq.character import CharacterDecoder, characters
from course_lib.seq2seq.convs2s import ConvS2S
from course_lib.seq2seq.decoders import BahdanauDecoder, ChoDecoder, DecoderState, LuongDecoder
from course_lib.seq2seq.encoder import BidirectionalEncoder, Encoded
from course_lib.seq2seq.gnmt import GNMT
from course_lib.seq2seq.model import DECODERS, EncoderDecoder, Seq2Seq
from course_lib.seq2seq.one_stack import OneStack
from course_lib.seq2seq.sutskever import Sutskever
from course_lib.seq2seq.transformer import AttentionMaps, Transformer

__all__ = [
    "DECODERS",
    "GNMT",
    "AttentionMaps",
    "BahdanauDecoder",
    "BidirectionalEncoder",
    "CharacterDecoder",
    "ChoDecoder",
    "ConvS2S",
    "DecoderState",
    "Encoded",
    "EncoderDecoder",
    "FixedLookDecoder",
    "LocationAwareDecoder",
    "LuongDecoder",
    "OneStack",
    "Seq2Seq",
    "Sutskever",
    "Transformer",
    "WordAlignment",
    "WordAwareDecoder",
    "characters",
    "word_alignment",
]
