"""Search for a good sequence under any next-token distribution."""

from course_lib.decoding.beam import SearchResult, beam_search
from course_lib.decoding.blocking import BlockRepeats
from course_lib.decoding.exact import exact_search
from course_lib.decoding.greedy import Hypothesis, greedy_search
from course_lib.decoding.known_words import prefer_known_words
from course_lib.decoding.penalty import CoveragePenalty, LengthPenalty
from course_lib.decoding.problem import Recorder, SearchProblem
from course_lib.decoding.replay import NotRecordedError, replay
from course_lib.decoding.sampling import next_probabilities, sample
from course_lib.decoding.state import AttentiveNextToken, NextToken, reorder
from course_lib.decoding.table import read_table, table_record, table_step
from course_lib.decoding.temperature import Tempered, temper

__all__ = [
    "AttentiveNextToken",
    "BlockRepeats",
    "CoveragePenalty",
    "Hypothesis",
    "LengthPenalty",
    "NextToken",
    "NotRecordedError",
    "Recorder",
    "SearchProblem",
    "SearchResult",
    "Tempered",
    "beam_search",
    "exact_search",
    "greedy_search",
    "next_probabilities",
    "prefer_known_words",
    "read_table",
    "reorder",
    "replay",
    "sample",
    "table_record",
    "table_step",
    "temper",
]
