"""Search for a good sequence under any next-token distribution."""

from course_lib.decoding.beam import SearchResult, beam_search
from course_lib.decoding.blocking import BlockRepeats
from course_lib.decoding.greedy import Hypothesis, greedy_search
from course_lib.decoding.penalty import LengthPenalty
from course_lib.decoding.state import NextToken, reorder

__all__ = [
    "BlockRepeats",
    "Hypothesis",
    "LengthPenalty",
    "NextToken",
    "SearchResult",
    "beam_search",
    "greedy_search",
    "reorder",
]
