"""Search for a good sequence under any next-token distribution."""

from course_lib.decoding.beam import SearchResult, beam_search
from course_lib.decoding.blocking import BlockRepeats
from course_lib.decoding.exact import exact_search
from course_lib.decoding.greedy import Hypothesis, greedy_search
from course_lib.decoding.penalty import CoveragePenalty, LengthPenalty
from course_lib.decoding.sampling import next_probabilities, sample
from course_lib.decoding.state import AttentiveNextToken, NextToken, reorder

__all__ = [
    "AttentiveNextToken",
    "BlockRepeats",
    "CoveragePenalty",
    "Hypothesis",
    "LengthPenalty",
    "NextToken",
    "SearchResult",
    "beam_search",
    "exact_search",
    "greedy_search",
    "next_probabilities",
    "reorder",
    "sample",
]
