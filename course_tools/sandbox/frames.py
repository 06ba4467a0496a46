"""Room for the frames of Python's calls.

Python keeps frames in chunks of 16 kB. A call across the border of two chunks maps new memory, its return
unmaps it again. Where a loop makes such calls, that takes longer than all else that it does.
"""

from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def with_room(work: Callable[[], Answer]) -> Answer:
    """Do some work whose calls, up to some hundreds deep, all lie in one chunk."""
    return work()


# A frame that is larger than a chunk gets one of its own, of 1 MB: the frames after it lie in what is left.
with_room.__code__ = with_room.__code__.replace(co_stacksize=100_000)
